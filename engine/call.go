package engine

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Reasons of a call that is refused before its key is looked at.
const (
	ReasonClientID = "invalid_client_id"
	ReasonEndpoint = "invalid_endpoint"
	ReasonKey      = "invalid_idem_key"
	ReasonBody     = "invalid_body"
)

// ParseCall reads one request written as a JSON object with the members
// client_id, endpoint, idem_key (non-empty strings) and body (a non-empty
// object). Others are ignored. A member that is missing, empty or of another
// type gives a refusal of status 400; nothing is stored for it. A text that is
// no JSON object, or an ambiguous one, gives an error that wraps [ErrAmbiguous].
func ParseCall(text []byte) (Request, *Refusal, error) {
	if first := jsontext.Value(text).Kind(); first != '{' {
		return Request{}, nil, fmt.Errorf("%w: the request %s", ErrAmbiguous, whyNoObject(text))
	}
	members, err := objectMembers(text)
	if err != nil {
		return Request{}, nil, err
	}
	var r Request
	for _, field := range []struct {
		name, reason string
		into         *string
	}{
		{"client_id", ReasonClientID, &r.ClientID},
		{"endpoint", ReasonEndpoint, &r.Endpoint},
		{"idem_key", ReasonKey, &r.Key},
	} {
		text, ok := stringOf(members[field.name])
		if !ok || BlankKey(text) {
			return Request{}, &Refusal{400, field.reason}, nil
		}
		*field.into = text
	}
	r.Body = members["body"]
	inner, err := objectMembers(r.Body)
	if len(r.Body) == 0 || err != nil || len(inner) == 0 {
		return Request{}, &Refusal{400, ReasonBody}, nil
	}
	return r, nil, nil
}

// whyNoObject says what a text is that is no JSON object. A byte order mark and
// UTF-16 are what editors and shells leave, and nobody sees them.
func whyNoObject(text []byte) string {
	switch {
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		return "begins with a byte order mark (BOM), which JSON must not have; save it as UTF-8 without one"
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return "is UTF-16; save it as UTF-8 without a byte order mark"
	case len(bytes.TrimSpace(text)) == 0:
		return "is empty"
	}
	return "is not a JSON object"
}

func stringOf(v jsontext.Value) (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, v)
	return string(text), err == nil
}

// Answer is what a caller is told, as the command line prints it.
type Answer struct {
	Status int             `json:"status"`
	Replay bool            `json:"replay"`
	Reason *string         `json:"reason"`
	Body   json.RawMessage `json:"body"`
}

// Answer is the engine's own answer to a claim that was not Fresh: the stored
// reply again, 409 or 422 as the policy says.
func (v *Verdict) Answer(p Policy) Answer {
	switch v.Outcome {
	case Replay:
		return AnswerOf(v.Record.Reply, true)
	case InFlight:
		return refusedAnswer(p.OnInFlight, ReasonInProgress)
	default:
		return refusedAnswer(int(p.OnMismatch), ReasonKeyReused)
	}
}

// AnswerOf is a reply, first or replayed, as an Answer.
func AnswerOf(r Reply, replay bool) Answer {
	a := Answer{Status: r.Status, Replay: replay, Body: r.Body}
	if r.Reason != "" {
		a.Reason = &r.Reason
	}
	return a
}

// LostAnswer is what a worker's client gets when its claim was taken over.
func LostAnswer(p Policy) Answer { return refusedAnswer(p.OnInFlight, ReasonClaimLost) }

func refusedAnswer(status int, reason string) Answer {
	return Answer{Status: status, Reason: &reason}
}
