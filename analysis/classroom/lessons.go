package classroom

import (
	"slices"

	"idem/engine"
)

// Lesson is an engine that is wrong on purpose.
type Lesson struct {
	Name  string // for flags and files
	Title string // what it does, in a few words
	Story string // what comes of it
	// Shows is what a day must have for the mistake to show.
	Shows string
	// Breaks are the invariants that such an engine breaks, the first one always
	// when the mistake shows.
	Breaks []Invariant

	policy func(*engine.Policy)            // what is wrong in its rules; nil for nothing
	store  func(engine.Store) engine.Store // what is wrong in its store; nil for nothing
}

// Lessons are all of them, in the order in which they are taught.
func Lessons() []Lesson { return slices.Clone(lessons) }

// LessonNamed finds a lesson by its name.
func LessonNamed(name string) (Lesson, bool) {
	i := slices.IndexFunc(lessons, func(l Lesson) bool { return l.Name == name })
	if i < 0 {
		return Lesson{}, false
	}
	return lessons[i], true
}

// Engine is the lesson's engine over a real store: the store and the policy that
// it goes by instead.
func (l Lesson) Engine(s engine.Store, p engine.Policy) (engine.Store, engine.Policy) {
	if l.policy != nil {
		l.policy(&p)
	}
	if l.store != nil {
		s = l.store(s)
	}
	return s, p
}

var lessons = []Lesson{
	{
		Name: "look-up-first", Title: "Look up first, insert later",
		Story:  "The record is looked up when the request arrives and inserted when it is done. A retry that arrives in between finds nothing and runs, too: both pay.",
		Shows:  "a request that arrives while the first one of its key still runs, or a race",
		Breaks: []Invariant{OneTransfer, StaleToken},
		store:  newLookUpFirst,
	},
	{
		Name: "complete-first", Title: "Completed before the money moves",
		Story:  "The record says completed before the transfer is posted. After a crash in between, every retry is told that the payment went through, and it never did.",
		Shows:  "a crash, or a request that arrives while the first one still runs",
		Breaks: []Invariant{Backed, SameAnswer},
		store:  newCompleteFirst,
	},
	{
		Name: "raw-fingerprint", Title: "Fingerprint of the raw string",
		Story:  "The bytes of the body are compared. A client that serialises the same order with its members in another order is refused as if it had changed it.",
		Shows:  "a retry with reordered members or other whitespace",
		Breaks: []Invariant{EqualBody},
		policy: func(p *engine.Policy) { p.Fingerprint = engine.RuleRaw },
	},
	{
		Name: "no-fingerprint", Title: "No fingerprint",
		Story:  "Bodies are not compared. Another order under a used key is answered with the first one's success: the client believes that it was paid.",
		Shows:  "another amount under a used key",
		Breaks: []Invariant{OwnResult, InFlightOnly},
		policy: func(p *engine.Policy) { p.Fingerprint = engine.RuleNone },
	},
	{
		Name: "global-key", Title: "A global key",
		Story:  "Keys are not kept apart by client and endpoint. Who uses a key that another client has used is refused, or is shown that client's payment as his own.",
		Shows:  "one key of two clients, or on two endpoints",
		Breaks: []Invariant{OwnResult, EqualBody, InFlightOnly},
		policy: func(p *engine.Policy) { p.Scope = []engine.ScopeField{engine.ScopeKey} },
	},
	{
		Name: "computed-anew", Title: "A reply computed anew",
		Story:  "A retry is answered with a reply made at that moment, not with the stored one. The client sees two payments where there was one, and books both.",
		Shows:  "a retry of a payment that went through",
		Breaks: []Invariant{SameAnswer},
		store:  newComputeAnew,
	},
	{
		Name: "no-fence", Title: "A claim without a fence",
		Story:  "A worker stands still past its lease, another takes the claim over and pays; then the first one comes back, and nobody asks whether the claim is still its own.",
		Shows:  "a stalled worker, or leases that are not renewed, and a retry after the lease",
		Breaks: []Invariant{StaleToken, OneTransfer},
		store:  newNoFence,
	},
}
