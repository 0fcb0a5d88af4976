package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"

	"idem/analysis/ingest/source"
)

// goreplayFormat is a capture of GoReplay (.gor): payloads parted by a line of
// three monkeys, each a line of
//
//	kind id time latency
//
// and an HTTP message as it went over the wire. Kind 1 is a request, 2 the reply
// to it, 3 the reply to its replay. Times are when a message began, in
// nanoseconds since 1970; in captures of old versions a reply has the time that
// it took instead. The duration goes to the beginning of the reply, which is what
// all versions tell. Line ends may have become CRLF on the way.
var goreplayFormat = &Format{
	Name: "goreplay", About: "capture of GoReplay (.gor)", Roles: []Role{Requests},
	Sniff: func(head []byte) bool {
		line, rest, ok := bytes.Cut(head, []byte{'\n'})
		if !ok {
			return false
		}
		_, err := gorMeta(line)
		message, _, _ := bytes.Cut(rest, []byte{'\n'})
		return err == nil && bytes.Contains(message, []byte("HTTP/"))
	},
	Map: func(_ []byte, _ Role, given Mapping) (Mapping, error) {
		return given.Or(Mapping{TimeIs: "start", TimeUnit: "ns", DurationUnit: "ns", Columns: exchangeColumns(map[string]Places{
			"time": {"time"}, "duration": {"until_reply"}, "method": {"method"}, "endpoint": {"target"}, "status": {"status"},
			"body": {"body"}, "id": {requestHeaderAt + "x-request-id", "id"},
		})}), nil
	},
	Read: func(in *Input, m *Mapping, out *Sink) error {
		rows, err := newRowReader(out.Role(), m, fixes{request: func(q *Request) error {
			q.Endpoint = pathOf(q.Endpoint)
			return nil
		}})
		if err != nil {
			return err
		}
		g := &gorReader{rows: rows, out: out, waiting: map[string]*gorRequest{}}
		return g.read(&gorPayloads{in: bufio.NewReaderSize(in, 64<<10)})
	},
}

const gorSeparator = "🐵🙈🙉"

// gorRequest is a request that waits for its reply.
type gorRequest struct {
	id           string
	line, time   int64
	payload      []byte
	method       []byte
	target, body []byte
	headers      headers

	replyTime int64 // 0: no reply
	status    []byte
	reply     headers
}

// How much may wait for replies: a request that is further behind is handed over
// without.
const (
	maxWaiting      = 4096
	maxWaitingBytes = 32 << 20
)

type gorReader struct {
	rows    *rowReader
	out     *Sink
	waiting map[string]*gorRequest
	order   []*gorRequest
	bytes   int
	number  []byte
}

func (g *gorReader) read(in *gorPayloads) error {
	for g.out.Going() {
		payload, line, err := in.next()
		switch {
		case err == io.EOF:
			for len(g.order) > 0 {
				g.first()
			}
			return g.out.Err()
		case errors.Is(err, source.ErrTooLong):
			g.out.Reject(line, payload, err)
		case err != nil:
			return err
		case len(payload) > 0:
			if err := g.payload(payload, line); err != nil {
				g.out.refuseRow(line, payload, err)
			}
		}
	}
	return g.out.Err()
}

// payload takes one in, or says why it tells nothing.
func (g *gorReader) payload(payload []byte, line int64) error {
	first, rest, _ := bytes.Cut(payload, []byte{'\n'})
	meta, err := gorMeta(first)
	if err != nil {
		return err
	}
	switch meta.kind {
	case '1':
		return g.request(meta, rest, line)
	case '2':
		return g.reply(meta, rest)
	}
	return aside("the reply to a replay")
}

func (g *gorReader) request(meta gorHead, message []byte, line int64) error {
	q := &gorRequest{id: string(meta.id), line: line, time: meta.time, payload: bytes.Clone(message)}
	words, h, body, err := httpMessage(q.payload)
	if err != nil {
		return err
	}
	q.method, q.target, q.headers, q.body = words[0], words[1], h, body
	if old := g.waiting[q.id]; old != nil {
		g.take(old)
	}
	g.waiting[q.id] = q
	g.order = append(g.order, q)
	g.bytes += len(message)
	for len(g.order) > maxWaiting || g.bytes > maxWaitingBytes {
		g.first()
	}
	return nil
}

func (g *gorReader) reply(meta gorHead, message []byte) error {
	q := g.waiting[string(meta.id)]
	if q == nil {
		return aside("a reply without its request")
	}
	words, h, _, err := httpMessage(message)
	if err != nil {
		return err
	}
	q.status, q.replyTime, q.reply = bytes.Clone(words[1]), meta.time, h
	for name, value := range h {
		h[name] = bytes.Clone(value)
	}
	g.take(q)
	return nil
}

func (g *gorReader) first() { g.take(g.order[0]) }

// take hands a request over.
func (g *gorReader) take(q *gorRequest) {
	i := slices.Index(g.order, q)
	g.order = slices.Delete(g.order, i, i+1)
	g.bytes -= len(q.payload)
	if g.waiting[q.id] == q {
		delete(g.waiting, q.id)
	}
	g.rows.hand(g.out, q.line,
		func() []byte { return q.payload },
		func(i int) []byte { return g.part(q, g.rows.places[i]) })
}

func (g *gorReader) part(q *gorRequest, name string) []byte {
	if text, ok := headerAt(name, q.headers, q.reply); ok {
		return text
	}
	switch name {
	case "id":
		return []byte(q.id)
	case "time":
		return strconv.AppendInt(g.number[:0], q.time, 10)
	case "until_reply":
		if q.replyTime == 0 {
			return nil
		}
		return strconv.AppendInt(g.number[:0], q.untilReply(), 10)
	case "method":
		return q.method
	case "target":
		return q.target
	case "status":
		return q.status
	case "body":
		return q.body
	}
	return nil
}

// untilReply: a time of less than twelve days after 1970 is the time that a reply
// took.
func (q *gorRequest) untilReply() int64 {
	if q.replyTime < 1e15 {
		return q.replyTime
	}
	return q.replyTime - q.time
}

// gorHead is the first line of a payload.
type gorHead struct {
	kind byte
	id   []byte
	time int64
}

var errNoPayload = errors.New("the payload begins with no line of kind, id and time")

func gorMeta(line []byte) (gorHead, error) {
	f := bytes.Fields(line)
	if len(f) < 3 || len(f) > 4 || len(f[0]) != 1 || f[0][0] < '1' || f[0][0] > '3' || len(f[1]) < 16 {
		return gorHead{}, errNoPayload
	}
	ns, err := strconv.ParseInt(string(f[2]), 10, 64)
	if err != nil || ns <= 0 {
		return gorHead{}, errNoPayload
	}
	return gorHead{f[0][0], f[1], ns}, nil
}

var errNoMessage = errors.New("the payload is no HTTP message")

// httpMessage takes a message apart: its first line, headers and body. They are
// pieces of b.
func httpMessage(b []byte) (words [][]byte, h headers, body []byte, err error) {
	line, rest, _ := bytes.Cut(b, []byte{'\n'})
	if words = bytes.Fields(line); len(words) < 2 || !bytes.Contains(line, []byte("HTTP/")) {
		return nil, nil, nil, errNoMessage
	}
	h = headers{}
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		if line = bytes.TrimRight(line, "\r"); len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte{':'})
		h.set(string(name), value)
	}
	if bytes.EqualFold(h["transfer-encoding"], []byte("chunked")) {
		rest = unchunked(rest)
	}
	return words, h, rest, nil
}

// unchunked is a body without the sizes of its chunks (RFC 9112, 7.1). A capture
// may have taken them off already: what is not in chunks stays as it is.
func unchunked(b []byte) []byte {
	var out []byte
	for rest := b; ; {
		line, after, ok := bytes.Cut(rest, []byte{'\n'})
		size, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte{';'})
		n, err := strconv.ParseUint(string(size), 16, 31)
		switch {
		case !ok || err != nil || int(n) > len(after):
			return b
		case n == 0:
			return out
		}
		out = append(out, after[:n]...)
		rest = bytes.TrimPrefix(bytes.TrimPrefix(after[n:], []byte{'\r'}), []byte{'\n'})
	}
}

// gorPayloads splits a capture.
type gorPayloads struct {
	in   *bufio.Reader
	buf  []byte
	line int64 // lines read
}

// next is the next payload, without the line end before the separator, and the
// number of its first line. One that is too long is skipped, with ErrTooLong.
func (p *gorPayloads) next() (payload []byte, line int64, err error) {
	p.buf = p.buf[:0]
	line = p.line + 1
	long := false
	for {
		piece, err := p.in.ReadSlice('\n')
		if err == nil {
			p.line++
		}
		whole := len(p.buf) == 0 || p.buf[len(p.buf)-1] == '\n'
		if whole && string(bytes.TrimRight(piece, "\r\n")) == gorSeparator {
			return p.payload(line, long)
		}
		if len(p.buf)+len(piece) > source.MaxLine {
			long = true
			p.buf = append(p.buf[:min(len(p.buf), keptText)], '\n')
		} else {
			p.buf = append(p.buf, piece...)
		}
		switch {
		case err == io.EOF && len(p.buf) > 0:
			return p.payload(line, long)
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, line, err
		}
	}
}

func (p *gorPayloads) payload(line int64, long bool) ([]byte, int64, error) {
	if long {
		return p.buf, line, source.ErrTooLong
	}
	b := bytes.TrimSuffix(p.buf, []byte{'\n'})
	if first, _, _ := bytes.Cut(b, []byte{'\n'}); bytes.HasSuffix(first, []byte{'\r'}) {
		b = bytes.TrimSuffix(b, []byte{'\r'}) // the whole file has CRLF
	}
	return b, line, nil
}
