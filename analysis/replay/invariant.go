package replay

// Invariant is something that must always hold of an engine.
type Invariant string

// The invariants, as people read them.
const (
	OneTransfer Invariant = "a key's life makes at most one transfer"
	Backed      Invariant = "a success has exactly one transfer, a refusal has none"
	StaleToken  Invariant = "a stale token writes nothing"
	LosersWrite Invariant = "a 409, a 422 and a replay write nothing"
	Conserved   Invariant = "money is conserved: each balance is its start plus its transfers, none below zero"
	OneClass    Invariant = "each request is in exactly one class"
)

// Watched are the invariants that a [Guard] watches.
var Watched = []Invariant{OneTransfer, Backed, StaleToken, LosersWrite, Conserved, OneClass}

// Breach is an invariant that broke.
type Breach struct {
	At        int64 // the position that was being sent when it showed
	N, Seq    int64 // the request that broke it
	Twin      bool  // its twin in a race
	Invariant Invariant
	Why       string
}
