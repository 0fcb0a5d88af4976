package ingest

import "bytes"

// nginxFormat is nginx's log_format with JSON in it, as escape=json writes it or
// as the default escaping leaves it: with \xXX, which is no JSON, and with a bare
// dash where a variable is empty.
//
// Times are those of the log line, written when the request ends, and
// request_time is in seconds with milliseconds (ngx_http_log_module,
// $request_time). Members may have any name; those of nginx's variables are known.
var nginxFormat = (&jsonLog{
	name:  "nginx",
	about: "nginx log_format in JSON, members named like its variables",
	knows: func(members []string) bool {
		return hasNames(members, "requesttime", "timeiso8601|timelocal|msec|timestamp|time",
			"upstreamstatus|upstreamresponsetime|upstreamaddr|bodybytessent|requestlength|timeiso8601|timelocal|msec")
	},
	repair: func() func([]byte) []byte { return new(nginxRepair).line },
	names: map[string][]string{
		"time":      {"msec", "timeiso8601", "timelocal", "timestamp", "time"},
		"duration":  {"requesttime"},
		"method":    {"requestmethod", "method"},
		"endpoint":  {"requesturi", "request", "uri", "path"},
		"status":    {"status"},
		"id":        {"requestid", "reqid"},
		"node":      {"hostname", "serveraddr"},
		"upstreams": {"upstreamstatus", "upstreamaddr", "upstreamresponsetime"},
	},
	fixed: Mapping{TimeIs: "end", TimeUnit: "s", DurationUnit: "s", Missing: "-"},
	fix: func(q *Request, _ [][]byte, _ *rules) error {
		splitRequestLine(q)
		q.Upstreams, q.Attempts = upstreamList(q.Upstreams)
		return nil
	},
}).format()

// upstreamList reads what nginx writes of several servers: parted by commas, and
// by " : " where an internal redirect went from one group to another
// ($upstream_addr). Each is one execution.
func upstreamList(b []byte) (list []byte, n int64) {
	for group := range bytes.SplitSeq(b, []byte(" : ")) {
		for one := range bytes.SplitSeq(group, []byte{','}) {
			if one = bytes.TrimSpace(one); len(one) == 0 {
				continue
			}
			if n++; n > 1 {
				list = append(list, ", "...)
			}
			list = append(list, one...)
		}
	}
	return list, n
}

// nginxRepair makes JSON of a line.
type nginxRepair struct{ buf []byte }

func (r *nginxRepair) line(line []byte) []byte {
	if bytes.Contains(line, []byte(`\x`)) {
		line = r.unescape(line)
	}
	if bytes.Contains(line, []byte(":-")) || bytes.Contains(line, []byte(": -")) || bytes.Contains(line, []byte(":,")) || bytes.Contains(line, []byte(":}")) {
		line = r.bare(line)
	}
	return line
}

// unescape replaces \xXX by the byte it stands for, escaped as JSON has it.
func (r *nginxRepair) unescape(line []byte) []byte {
	out := make([]byte, 0, len(line)+16)
	for i := 0; i < len(line); i++ {
		c := line[i]
		if c != '\\' || i+1 == len(line) {
			out = append(out, c)
			continue
		}
		i++
		b, ok := hexByte(line[i:])
		if !ok {
			out = append(out, c, line[i])
			continue
		}
		i += 2
		switch {
		case b == '"' || b == '\\':
			out = append(out, '\\', b)
		case b < 0x20:
			out = append(out, `\u00`...)
			out = append(out, line[i-1:i+1]...)
		default:
			out = append(out, b)
		}
	}
	return out
}

// hexByte reads xXX.
func hexByte(b []byte) (byte, bool) {
	if len(b) < 3 || b[0] != 'x' {
		return 0, false
	}
	hi, lo := hexDigit(b[1]), hexDigit(b[2])
	return hi<<4 | lo, hi < 16 && lo < 16
}

func hexDigit(c byte) byte {
	switch {
	case c-'0' < 10:
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 0xff
}

// bare writes null where a value without quotes is a dash or nothing.
func (r *nginxRepair) bare(line []byte) []byte {
	r.buf = r.buf[:0]
	quoted := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		r.buf = append(r.buf, c)
		switch {
		case c == '\\' && quoted && i+1 < len(line):
			i++
			r.buf = append(r.buf, line[i])
		case c == '"':
			quoted = !quoted
		case c == ':' && !quoted:
			if n, ok := nothing(line[i+1:]); ok {
				r.buf = append(r.buf, "null"...)
				i += n
			}
		}
	}
	return r.buf
}

// nothing reports whether a value is a dash or nothing, and its length.
func nothing(b []byte) (n int, ok bool) {
	rest := bytes.TrimLeft(b, " \t")
	rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte{'-'}), " \t")
	return len(b) - len(rest), len(rest) > 0 && (rest[0] == ',' || rest[0] == '}')
}
