package memstore

import (
	"encoding/binary"
	"time"

	"idem/engine"
)

// packed is a record as it is kept. There may be millions of them, and what the
// garbage collector does for each is most of what a request costs the store. So
// all but the body is one text without a pointer in it, the key first.
type packed struct {
	text string
	body []byte
}

// appendKey packs a key. The lengths keep the columns apart.
func appendKey(b []byte, k engine.ScopedKey) []byte {
	for _, column := range []string{k.ClientID, k.Endpoint, k.Key} {
		b = appendText(b, column)
	}
	return b
}

func pack(r *engine.Record) packed {
	var room [512]byte
	b := appendKey(room[:0], r.Key)
	b = append(append(b, byte(r.State)), r.Fingerprint[:]...)
	for _, n := range []int64{int64(r.Life), int64(r.Fence), int64(r.Attempt), int64(r.Reply.Status), int64(len(r.Reply.Header))} {
		b = binary.AppendVarint(b, n)
	}
	for _, t := range []time.Time{r.ClaimedAt, r.LeaseUntil, r.CompletedAt} {
		b = binary.AppendVarint(binary.AppendVarint(b, t.Unix()), int64(t.Nanosecond()))
	}
	notKept := byte(0)
	if r.Reply.NotKept {
		notKept = 1
	}
	b = appendText(append(b, notKept), r.Reply.Reason)
	for _, f := range r.Reply.Header {
		b = appendText(appendText(b, f.Name), f.Value)
	}
	return packed{string(b), snug(r.Reply.Body)}
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendVarint(b, int64(len(text))), text...)
}

// snug is a body without a buffer that is much larger than what it holds.
func snug(body []byte) []byte {
	if cap(body)-len(body) <= len(body)/4+64 {
		return body
	}
	return append([]byte{}, body...)
}

// record is the record as it was packed. Its texts and its body are shared.
func (p packed) record() (r engine.Record) {
	u := unpacker(p.text)
	r.Key = engine.ScopedKey{ClientID: u.text(), Endpoint: u.text(), Key: u.text()}
	r.State = engine.State(u.take(1)[0])
	copy(r.Fingerprint[:], u.take(len(r.Fingerprint)))
	r.Life, r.Fence, r.Attempt = engine.Fence(u.int()), engine.Fence(u.int()), int(u.int())
	r.Reply.Status, r.Reply.Body = int(u.int()), p.body
	if fields := u.int(); fields > 0 {
		r.Reply.Header = make([]engine.Field, fields)
	}
	r.ClaimedAt, r.LeaseUntil, r.CompletedAt = u.time(), u.time(), u.time()
	r.Reply.NotKept = u.take(1)[0] == 1
	r.Reply.Reason = u.text()
	for i := range r.Reply.Header {
		r.Reply.Header[i] = engine.Field{Name: u.text(), Value: u.text()}
	}
	return r
}

// unpacker is what is left of a text to be read.
type unpacker string

func (u *unpacker) take(n int) (head string) {
	head, *u = string((*u)[:n]), (*u)[n:]
	return head
}

// int reads what binary.AppendVarint wrote; its own reader takes no string.
func (u *unpacker) int() int64 {
	var n uint64
	for i := 0; ; i++ {
		b := (*u)[i]
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			*u = (*u)[i+1:]
			return int64(n>>1) ^ -int64(n&1)
		}
	}
}

func (u *unpacker) text() string { return u.take(int(u.int())) }

func (u *unpacker) time() time.Time { return time.Unix(u.int(), u.int()).UTC() }
