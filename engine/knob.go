package engine

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrPolicy: a policy, or a value in it, that cannot be.
var ErrPolicy = errors.New("invalid policy")

// Knob is one member of a policy: the flags, the policy screen, policy.json and
// the report are all made from this table.
type Knob struct {
	Name   string // member of policy.json
	Help   string // one line, for people
	Bounds string // the values it takes, for people

	get func(*Policy) string
	set func(*Policy, string) error
}

// Get is the knob's value as text; a list is joined by commas.
func (k Knob) Get(p Policy) string { return k.get(&p) }

// Set changes the knob; the error wraps [ErrPolicy] and names the bounds. What
// several knobs must agree on is checked by [Policy.Validate].
func (k Knob) Set(p *Policy, text string) error {
	if err := k.set(p, strings.TrimSpace(text)); err != nil {
		return fmt.Errorf("%w: %s is %q, must be %s", ErrPolicy, k.Name, text, k.Bounds)
	}
	return nil
}

// Knobs is the table of all knobs, in the order of policy.json.
func Knobs() []Knob { return slices.Clone(knobs) }

// KnobNamed finds a knob by its name.
func KnobNamed(name string) (Knob, bool) {
	i := slices.IndexFunc(knobs, func(k Knob) bool { return k.Name == name })
	if i < 0 {
		return Knob{}, false
	}
	return knobs[i], true
}

// Limits of the knobs that are durations.
const (
	MaxRetention = 100 * 365 * 24 * time.Hour
	MaxLease     = 24 * time.Hour
)

var errBounds = errors.New("out of bounds")

var knobs = []Knob{
	{
		Name: "scope", Help: "columns that a key is unique in",
		Bounds: "a list of client_id, endpoint, idem_key, amount that holds idem_key",
		get:    func(p *Policy) string { return joinScope(p.Scope) },
		set:    setScope,
	},
	{
		Name: "retention_hours", Help: "how long a key is valid from its claim, in hours",
		Bounds: "a number of hours above 0 and up to 876000, or forever",
		get:    func(p *Policy) string { return formatUnits(p.Retention, time.Hour) },
		set: func(p *Policy, s string) (err error) {
			if s == "forever" {
				p.Retention = Forever
				return nil
			}
			p.Retention, err = parseUnits(s, time.Hour, MaxRetention)
			return err
		},
	},
	{
		Name: "on_fingerprint_mismatch", Help: "answer to another request under a used key",
		Bounds: "a status of 400, 409, 422, or replay (the first result)",
		get: func(p *Policy) string {
			if p.OnMismatch == MismatchReplays {
				return "replay"
			}
			return strconv.Itoa(int(p.OnMismatch))
		},
		set: func(p *Policy, s string) error {
			if s == "replay" {
				p.OnMismatch = MismatchReplays
				return nil
			}
			status, err := oneOf(s, 400, 409, 422)
			p.OnMismatch = MismatchAnswer(status)
			return err
		},
	},
	{
		Name: "on_in_flight", Help: "answer to a retry while the first request still runs",
		Bounds: "a status of 409, 423, 425, 429",
		get:    func(p *Policy) string { return strconv.Itoa(p.OnInFlight) },
		set: func(p *Policy, s string) (err error) {
			p.OnInFlight, err = oneOf(s, 409, 423, 425, 429)
			return err
		},
	},
	{
		Name: "lease_seconds", Help: "how long a claim is protected from takeover, in seconds",
		Bounds: "a number of seconds above 0 and up to 86400",
		get:    func(p *Policy) string { return formatUnits(p.Lease, time.Second) },
		set: func(p *Policy, s string) (err error) {
			p.Lease, err = parseUnits(s, time.Second, MaxLease)
			return err
		},
	},
	{
		Name: "fingerprint", Help: "what must be the same for a request to be a retry",
		Bounds: "canonical (RFC 8785 of the body), raw (its bytes), request (method, path, query and bytes) or none",
		get:    func(p *Policy) string { return ruleNames[p.Fingerprint] },
		set:    setFingerprint,
	},
	{
		Name: "stored", Help: "which replies become the result of their key",
		Bounds: "all, not_5xx or 2xx",
		get:    func(p *Policy) string { return string(p.Stored) },
		set: func(p *Policy, s string) error {
			p.Stored = StoredReplies(s)
			if !slices.Contains([]StoredReplies{StoreAll, StoreNot5xx, StoreSuccess}, p.Stored) {
				return errBounds
			}
			return nil
		},
	},
}

// ruleNames are the rules as a policy names them.
var ruleNames = map[FingerprintRule]string{
	RuleNone: "none", RuleCanonical: "canonical", RuleRaw: "raw", RuleRequest: "request",
}

func setFingerprint(p *Policy, s string) error {
	for _, rule := range []FingerprintRule{RuleNone, RuleCanonical, RuleRaw, RuleRequest} {
		if ruleNames[rule] == s {
			p.Fingerprint = rule
			return nil
		}
	}
	return errBounds
}

// setScope accepts the columns in any order and keeps them in theirs.
func setScope(p *Policy, s string) error {
	given := strings.Split(s, ",")
	var scope []ScopeField
	for _, field := range []ScopeField{ScopeClient, ScopeEndpoint, ScopeKey, ScopeAmount} {
		at := slices.IndexFunc(given, func(g string) bool { return strings.TrimSpace(g) == string(field) })
		if at >= 0 {
			scope = append(scope, field)
			given = slices.Delete(given, at, at+1)
		}
	}
	if len(given) > 0 || !slices.Contains(scope, ScopeKey) {
		return errBounds
	}
	p.Scope = scope
	return nil
}

func joinScope(scope []ScopeField) string {
	names := make([]string, len(scope))
	for i, f := range scope {
		names[i] = string(f)
	}
	return strings.Join(names, ",")
}

func oneOf(s string, statuses ...int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || !slices.Contains(statuses, n) {
		return 0, errBounds
	}
	return n, nil
}

// parseUnits reads a decimal number of units, rounded to the nanosecond, above
// zero and up to most.
func parseUnits(s string, unit, most time.Duration) (time.Duration, error) {
	if len(s) > 40 || strings.ContainsAny(s, "/eExXpP_") {
		return 0, errBounds
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return 0, errBounds
	}
	r.Mul(r, new(big.Rat).SetInt64(int64(unit)))
	n, ok := new(big.Int).SetString(r.FloatString(0), 10)
	if !ok || n.Sign() <= 0 || n.Cmp(big.NewInt(int64(most))) > 0 {
		return 0, errBounds
	}
	return time.Duration(n.Int64()), nil
}

// formatUnits writes the shortest decimal that parseUnits reads back exactly.
func formatUnits(d, unit time.Duration) string {
	if d == Forever {
		return "forever"
	}
	r := big.NewRat(int64(d), int64(unit))
	for digits := 0; ; digits++ {
		s := r.FloatString(digits)
		if back, err := parseUnits(s, unit, MaxRetention); (err == nil && back == d) || digits == 18 {
			return s
		}
	}
}
