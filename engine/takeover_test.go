package engine_test

import (
	"reflect"
	"testing"

	"idem/engine"
)

// TestTakeoverIsTheSameLife: a takeover gets a new token and a new lease and
// counts one attempt more. The life, its beginning and its request stay, so that
// its retention and its one transfer do.
func TestTakeoverIsTheSameLife(t *testing.T) {
	existing := running(t)
	c := claimOf(t, `{"a":1}`, lease)
	v, err := engine.Decide(&existing, c, existing.Fence+5, engine.DefaultPolicy())
	want := existing
	want.Fence, want.Attempt, want.LeaseUntil = existing.Fence+5, existing.Attempt+1, c.Now.Add(c.Lease)
	if err != nil || !v.Takeover() || !reflect.DeepEqual(v.Record, want) {
		t.Errorf("taken over, it is %+v, %v; want %+v", v.Record, err, want)
	}
	if v.Before == nil || !reflect.DeepEqual(*v.Before, running(t)) {
		t.Errorf("before, it was %+v", v.Before)
	}
}
