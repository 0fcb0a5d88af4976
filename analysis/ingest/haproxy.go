package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// haproxyFormat is HAProxy's option httplog (and httpslog, whose further fields
// are left alone), with or without the syslog header before it:
//
//	client:port [accept date] frontend backend/server TR/Tw/Tc/Tr/Ta status bytes
//	request-cookie response-cookie state conns/…/retries queues {captures} {captures} "request"
//
// The date is when the request began, on the local clock of the machine and
// without a zone; timers are milliseconds, and -1 where a request did not come
// that far. retries counts connections after the first, with a + where another
// server was tried; with retry-on they may be whole requests, so how often one
// was executed is known only where there were none (configuration manual, 8.2.3).
//
// Captured headers stand by position, without their names: a mapping says which
// is the key, as request[0] or response[1], or that none is, as [].
var haproxyFormat = (&textLog{
	name:  "haproxy",
	about: "HAProxy option httplog, with or without syslog header",
	parts: []string{"syslog_host", "client", "accept_date", "frontend", "server", "total_time", "status", "state", "retries", "request_line"},
	fixed: Mapping{TimeIs: "start", DurationUnit: "ms", Missing: "-", Columns: map[string]Places{
		"time": {"accept_date"}, "duration": {"total_time"}, "endpoint": {"request_line"}, "status": {"status"},
		"node": {"syslog_host"}, "upstreams": {"server"}, "note": {"state"},
	}},
	reads:  map[string]Places{"attempts": {"retries"}},
	parse:  parseHAProxy,
	place:  capturePlace,
	settle: haproxyKey,
	fix: func(q *Request, parts [][]byte) error {
		splitRequestLine(q)
		q.Status = max(q.Status, 0)
		if string(q.Note) == "----" {
			q.Note = nil // the state of a session that ended as it should
		}
		if bytes.HasSuffix(q.Upstreams, []byte("/<NOSRV>")) {
			q.Upstreams = nil
			return nil
		}
		switch retries := parts[haproxyRetries]; {
		case string(retries) == "0":
			q.Attempts = 1
		default:
			// They may be connections only, or whole requests (retry-on).
			q.Note = bytes.TrimSpace(slices.Concat(q.Note, []byte(" retries "), retries))
		}
		return nil
	},
}).format()

const (
	haproxyRetries = 8
	haproxyParts   = 10
	maxCaptures    = 32 // of the request, then as many of the response
)

var errNoHTTPLog = errors.New("the line is no entry of option httplog")

func parseHAProxy(line []byte, parts [][]byte) ([][]byte, error) {
	host, entry, err := cutSyslog(line)
	if err != nil {
		return parts, err
	}
	w := words{entry}
	client := w.next()
	date := w.next()
	frontend, server := w.next(), w.next()
	timers := bytes.Split(w.next(), []byte{'/'})
	status := w.next()
	w.next() // bytes
	w.next() // cookies
	w.next()
	state := w.next()
	conns := bytes.Split(w.next(), []byte{'/'})
	queues := w.next()
	if len(date) < 2 || date[0] != '[' || date[len(date)-1] != ']' || len(timers) != 5 || len(conns) != 5 || bytes.IndexByte(queues, '/') < 0 {
		return parts, errNoHTTPLog
	}
	total := bytes.TrimPrefix(timers[4], []byte{'+'}) // + says that the reply was still on its way
	parts = append(parts, host, client, date[1:len(date)-1], frontend, server, total, status, state, conns[4])
	request, response, err := captures(&w)
	if err != nil {
		return parts, err
	}
	text, err := haproxyRequest(w.rest)
	if err != nil {
		return parts, err
	}
	parts = append(parts, text)
	parts = append(parts, request[:]...)
	return append(parts, response[:]...), nil
}

// cutSyslog takes off what syslog puts before an entry, and finds the entry by
// the date in it.
func cutSyslog(line []byte) (host, entry []byte, err error) {
	date := 0
	for {
		i := bytes.Index(line[date:], []byte(" ["))
		if i < 0 || len(line) < date+i+len(" [10/Mar/2026:") {
			return nil, nil, errNoHTTPLog
		}
		if date += i + len(" ["); line[date+2] == '/' && line[date+6] == '/' && line[date+11] == ':' {
			break
		}
	}
	from := bytes.LastIndexByte(line[:date-2], ' ') + 1
	if before := bytes.Fields(line[:from]); len(before) >= 2 && bytes.HasSuffix(before[len(before)-1], []byte{':'}) {
		host = before[len(before)-2]
	}
	return host, line[from:], nil
}

// captures reads the blocks of captured headers: one block is that of the
// request, two are request and response.
func captures(w *words) (request, response [maxCaptures][]byte, err error) {
	for _, block := range []*[maxCaptures][]byte{&request, &response} {
		if len(w.rest) == 0 || w.rest[0] != '{' {
			break
		}
		end := bytes.Index(w.rest, []byte("} "))
		if end < 0 {
			return request, response, fmt.Errorf("a block of captures is never closed: %.40q", w.rest)
		}
		list := bytes.Split(w.rest[1:end], []byte{'|'})
		if len(list) > maxCaptures {
			return request, response, fmt.Errorf("there are %d captures, %d can be read", len(list), maxCaptures)
		}
		for i, text := range list {
			block[i] = haproxyText(text)
		}
		w.rest = w.rest[end+2:]
	}
	return request, response, nil
}

// haproxyRequest is the request line in its quotes. One that was too long for the
// log has no closing quote.
func haproxyRequest(b []byte) ([]byte, error) {
	if len(b) < 2 || b[0] != '"' {
		return nil, errNoHTTPLog
	}
	b = b[1:]
	if end := bytes.IndexByte(b, '"'); end >= 0 {
		b = b[:end]
	}
	if string(b) == "<BADREQ>" {
		return nil, aside("a request that HAProxy could not read")
	}
	return haproxyText(b), nil
}

// haproxyText undoes #XX, by which HAProxy writes what is not printable or would
// end a field.
func haproxyText(b []byte) []byte {
	if bytes.IndexByte(b, '#') < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '#' && i+2 < len(b) {
			if hi, lo := hexDigit(b[i+1]), hexDigit(b[i+2]); hi < 16 && lo < 16 {
				out = append(out, hi<<4|lo)
				i += 2
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}

// capturePlace is where request[i] or response[i] stands behind the named parts.
func capturePlace(name string) (int, bool) {
	from := haproxyParts
	rest, ok := strings.CutPrefix(name, "request[")
	if !ok {
		if rest, ok = strings.CutPrefix(name, "response["); !ok {
			return 0, false
		}
		from += maxCaptures
	}
	i, err := strconv.ParseUint(strings.TrimSuffix(rest, "]"), 10, 8)
	return from + int(i), err == nil && i < maxCaptures && strings.HasSuffix(rest, "]")
}

// haproxyKey: where headers were captured, it must be told which is the key.
func haproxyKey(head []byte, m *Mapping) error {
	if _, told := m.Columns["key"]; told {
		return nil
	}
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		parts, err := parseHAProxy(bytes.TrimRight(line, "\r"), nil)
		if err != nil {
			continue
		}
		for i, text := range parts[haproxyParts:] {
			if len(text) > 0 {
				return unsettled(`--map with key = "request[0]" (or [] for none) under [requests.columns]`,
					"captured headers have no names, and one could be the key: %.40q is %s", text, captureName(i))
			}
		}
	}
	return nil
}

func captureName(i int) string {
	if i < maxCaptures {
		return fmt.Sprintf("request[%d]", i)
	}
	return fmt.Sprintf("response[%d]", i-maxCaptures)
}
