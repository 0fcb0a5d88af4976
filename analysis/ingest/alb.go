package ingest

import (
	"bytes"
	"errors"

	"idem/analysis/ingest/moment"
)

// albFormat is the access log of an AWS Application Load Balancer. time is when
// the reply was made, request_creation_time when the request was received; the
// sum of the processing times leaves out what lies between them. Bytes that are
// not printable are written as \xXX. A target status of - is a request that no
// target answered. The log holds no headers, so it has no key.
var albFormat = (&textLog{
	name:  "alb",
	about: "access log of an AWS Application Load Balancer",
	parts: albParts,
	fixed: Mapping{TimeIs: "start", Missing: "-", Columns: map[string]Places{
		"time": {"request_creation_time"}, "endpoint": {"request"}, "status": {"elb_status_code"}, "node": {"elb"},
		"upstreams": {"target_status_code_list", "target_status_code"}, "trace": {"trace_id"}, "note": {"error_reason"},
	}},
	reads: map[string]Places{"duration": {"time"}},
	parse: parseALB,
	fix: func(q *Request, parts [][]byte) error {
		end, err := new(moment.Reader).Read(parts[albTime])
		if err != nil {
			return settle("time", err)
		}
		q.Duration = max(end-q.At, -1)
		splitRequestLine(q)
		q.Endpoint = pathOf(q.Endpoint)
		if n := len(bytes.Fields(q.Upstreams)); n > 0 {
			q.Attempts = int64(n)
			q.Upstreams = bytes.ReplaceAll(q.Upstreams, []byte{' '}, []byte(", "))
		}
		return nil
	},
}).format()

// albParts are the fields of an entry, in their order; fields that were added to
// the end of an entry later on are left alone.
var albParts = []string{"type", "time", "elb", "client", "target",
	"request_processing_time", "target_processing_time", "response_processing_time",
	"elb_status_code", "target_status_code", "received_bytes", "sent_bytes", "request", "user_agent",
	"ssl_cipher", "ssl_protocol", "target_group_arn", "trace_id", "domain_name", "chosen_cert_arn",
	"matched_rule_priority", "request_creation_time", "actions_executed", "redirect_url", "error_reason",
	"target_list", "target_status_code_list"}

const (
	// albKinds tells of each field whether it is a word or a text in quotes.
	albKinds = "wwwwwwwwwwwwqqwwwqqqwwqqqqq"
	albTime  = 1
	albOld   = 25 // fields that entries have always had
)

var errNoALB = errors.New("the line is no entry of an application load balancer")

func parseALB(line []byte, parts [][]byte) ([][]byte, error) {
	w := words{line}
	for i, kind := range []byte(albKinds) {
		if i == albOld && len(w.rest) == 0 {
			break
		}
		text, err := albField(&w, kind)
		if err != nil {
			return parts, err
		}
		parts = append(parts, text)
	}
	switch string(parts[0]) {
	case "http", "https", "h2", "grpcs", "ws", "wss":
		return parts, nil
	}
	return parts, errNoALB
}

func albField(w *words, kind byte) ([]byte, error) {
	if kind == 'w' {
		return w.next(), nil
	}
	text, err := w.quoted()
	if err != nil {
		return nil, err
	}
	return unescaped(text), nil
}

// unescaped replaces \xXX by the byte it stands for.
func unescaped(b []byte) []byte {
	if !bytes.Contains(b, []byte(`\x`)) {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if c, ok := hexByte(b[min(i+1, len(b)):]); ok && b[i] == '\\' {
			out = append(out, c)
			i += 3
			continue
		}
		out = append(out, b[i])
	}
	return out
}
