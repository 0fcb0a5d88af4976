package findings

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"idem/analysis"
)

// builder reads the rows of the drafts and makes findings of them.
type builder struct {
	in        *analysis.Incident
	drafts    []*draft
	sent      []sentNote // of the findings one after another
	moved     []movedNote
	requests  []slot // sorted by place
	transfers []slot
	seed      maphash.Seed
	names     texts
	// What is made, one array each: a finding has a piece of it.
	allSends     []Send
	allTransfers []Transfer
	files        map[string]string // of an import, by source_id
}

// sentNote and movedNote are what is needed of the facts of a request and of a
// transfer, which take several times as much.
type sentNote struct{ place, seq, at int64 }

type movedNote struct {
	place int64
	send  int32
	join  join
	tie   Confidence
}

// slot is a row to be read, and where it goes.
type slot struct {
	place int64
	to    int32
}

// newBuilder notes all that is needed of the facts, which then may go.
func newBuilder(f *finder, drafts []*draft) *builder {
	b := &builder{in: f.in, drafts: drafts, seed: f.seed}
	sends, transfers := 0, 0
	for _, d := range drafts {
		sends += len(d.sends)
		transfers += d.size()
	}
	b.sent, b.moved = make([]sentNote, 0, sends), make([]movedNote, 0, transfers)
	for _, d := range drafts {
		for _, s := range d.sends {
			r := &f.requests[s]
			b.sent = append(b.sent, sentNote{r.place, r.seq, r.at})
		}
		for _, t := range d.transfers() {
			sent, _ := slices.BinarySearchFunc(d.sends, f.transfers[t].request, f.sentBefore)
			b.moved = append(b.moved, movedNote{f.transfers[t].place, int32(sent), f.transfers[t].join, f.transfers[t].cap})
		}
	}
	return b
}

// layOut makes room for the rows of all findings.
func (b *builder) layOut() {
	b.allSends, b.requests = make([]Send, len(b.sent)), make([]slot, 0, len(b.sent))
	for i, n := range b.sent {
		b.allSends[i] = Send{Known: n.place != none, Seq: n.seq, Duration: -1}
		if n.place == none {
			b.allSends[i].At = time.Unix(0, n.at).UTC()
			continue
		}
		b.requests = append(b.requests, slot{n.place, int32(i)})
	}
	b.allTransfers, b.transfers = make([]Transfer, len(b.moved)), make([]slot, len(b.moved))
	for i, n := range b.moved {
		b.allTransfers[i] = Transfer{Send: int(n.send), Join: joins[n.join], Tie: n.tie}
		b.transfers[i] = slot{n.place, int32(i)}
	}
	b.sent, b.moved = nil, nil
}

// size is the number of transfers.
func (d *draft) size() int {
	n := len(d.extra) + len(d.alsoKept) + len(d.disputed) + len(d.alike)
	if d.kept >= 0 {
		n++
	}
	return n
}

// transfers are all of a draft in the order in which they are laid out.
func (d *draft) transfers() []int32 {
	list := make([]int32, 0, d.size())
	if d.kept >= 0 {
		list = append(list, d.kept)
	}
	for _, p := range d.extra {
		list = append(list, p.extra)
	}
	return append(append(append(list, d.alsoKept...), d.disputed...), d.alike...)
}

func (b *builder) build(ctx context.Context) ([]Finding, error) {
	var err error
	if b.files, err = b.in.Sources(ctx); err != nil {
		return nil, err
	}
	b.layOut()
	if err := b.in.RequestsAt(ctx, sorted(b.requests), requestExtra, b.request); err != nil {
		return nil, err
	}
	if err := b.in.TransfersAt(ctx, sorted(b.transfers), transferExtra, b.transfer); err != nil {
		return nil, err
	}
	list := make([]Finding, len(b.drafts))
	sends, transfers := b.allSends, b.allTransfers
	b.requests, b.transfers = nil, nil
	for i, d := range b.drafts {
		if list[i], transfers, err = d.finding(sends[:len(d.sends):len(d.sends)], transfers); err != nil {
			return nil, err
		}
		sends = sends[len(d.sends):]
		b.drafts[i] = nil
	}
	return list, nil
}

// sorted puts slots in the order of their places, and gives those.
func sorted(list []slot) []int64 {
	slices.SortFunc(list, func(a, b slot) int { return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.to, b.to)) })
	places := make([]int64, len(list))
	for i, s := range list {
		places[i] = s.place
	}
	return places
}

// finding takes the first transfers for a draft.
func (d *draft) finding(sends []Send, transfers []Transfer) (f Finding, rest []Transfer, err error) {
	take := func(n int) []Transfer {
		list := transfers[:n:n]
		transfers = transfers[n:]
		return list
	}
	for i := range sends {
		if sends[i].Key == sends[0].Key {
			sends[i].Key = sends[0].Key // one copy is enough
		}
	}
	f = Finding{Class: d.class, Confidence: d.confidence, beat: d.beat, Sends: sends, Cause: d.cause}
	if d.kept >= 0 {
		f.Kept = &take(1)[0]
	}
	f.Extra, f.AlsoKept, f.Disputed, f.Alike = take(len(d.extra)), take(len(d.alsoKept)), take(len(d.disputed)), take(len(d.alike))
	id := d.origins(&f)
	for i, p := range d.extra {
		f.Extra[i].Of = id(p.of)
		if err := f.Paid.Add(f.Extra[i].Currency, f.Extra[i].Amount); err != nil {
			return f, transfers, err
		}
	}
	f.settle()
	return f, transfers, nil
}

// origins names the transfers that extra ones repeat.
func (d *draft) origins(f *Finding) func(int32) string {
	if len(d.alsoKept)+len(d.disputed) == 0 {
		return func(int32) string { return f.Kept.ID }
	}
	ids := map[int32]string{}
	if f.Kept != nil {
		ids[d.kept] = f.Kept.ID
	}
	for i, t := range d.alsoKept {
		ids[t] = f.AlsoKept[i].ID
	}
	for i, t := range d.disputed {
		ids[t] = f.Disputed[i].ID
	}
	return func(t int32) string { return ids[t] }
}

// settle orders transfers that happened at the same instant by their ids, as
// the duplicates of one key are ordered: until now they stood as they lie.
func (f *Finding) settle() {
	if f.Kept == nil || len(f.AlsoKept) > 0 || len(f.Extra) == 0 {
		return
	}
	order := func(a, b Transfer) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(f.Sends[a.Send].Seq, f.Sends[b.Send].Seq), strings.Compare(a.ID, b.ID))
	}
	slices.SortFunc(f.Extra, order)
	if e := &f.Extra[0]; e.At.Equal(f.Kept.At) && order(*e, *f.Kept) < 0 {
		*e, *f.Kept = *f.Kept, *e
		slices.SortFunc(f.Extra, order)
	}
	for i := range f.Extra {
		f.Extra[i].Of = f.Kept.ID
	}
	f.Kept.Of = ""
}

// request fills the slot of a row.
func (b *builder) request(i int, row *analysis.RequestRow) {
	var buf []byte
	s := &b.allSends[b.requests[i].to]
	reader := bodyReader{seed: b.seed}
	body := reader.read(row.Body)
	if row.Timed {
		s.At = time.Unix(0, row.At).UTC()
	}
	if row.Duration >= 0 {
		s.Duration = time.Duration(row.Duration) * time.Millisecond
	}
	s.Status, s.Attempts, s.body, s.raw = int32(row.Status), int32(row.Attempts), body.content, maphash.Bytes(b.seed, row.Body)
	s.ClientID, s.Endpoint, s.Node = b.names.text(row.Client), b.names.text(row.Endpoint), b.names.text(row.Node)
	s.Key = string(orText(row.Extra[xRawKey], row.Key))
	s.BodyKey = string(normalKey(orText(row.Extra[xBodyKey], body.key), &buf))
	s.Ref = string(orText(row.Extra[xReference], body.ref))
	if len(row.Extra[xSource]) > 0 {
		line, _ := strconv.ParseInt(string(row.Extra[xLine]), 10, 64)
		s.Origin = &Origin{Name: string(row.Extra[xName]), File: b.files[string(row.Extra[xSource])], Line: line, Note: string(row.Extra[xNote])}
	}
}

// transfer fills the slot of a row.
func (b *builder) transfer(i int, row *analysis.TransferRow) {
	t := &b.allTransfers[b.transfers[i].to]
	t.ID, t.Amount, t.At = string(row.ID), row.Amount, time.Unix(0, row.Created).UTC()
	t.Src, t.Dst, t.Currency = b.names.text(row.Src), b.names.text(row.Dst), b.names.text(row.Currency)
	if kind := row.Extra[xJoinKind]; len(kind) > 0 && string(kind) != "request_id" {
		t.Join = b.names.text(kind)
	}
}

// texts keeps one copy of texts that come again and again.
type texts struct {
	mu  sync.Mutex
	all map[string]string
}

func (t *texts) text(b []byte) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, ok := t.all[string(b)]; ok {
		return known
	}
	if t.all == nil || len(t.all) >= mostTexts {
		t.all = map[string]string{}
	}
	s := string(b)
	t.all[s] = s
	return s
}

// mostTexts bounds what is remembered.
const mostTexts = 1 << 16
