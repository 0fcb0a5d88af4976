package engine_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"idem/engine"
)

// answered is a completed record with something in every field.
func answered() engine.Record {
	return engine.Record{
		Key: engine.ScopedKey{ClientID: "shop", Endpoint: "/t", Key: "k"}, State: engine.Completed,
		Fingerprint: engine.Fingerprint{1, 2, 3}, Life: 7, Fence: 9, Attempt: 2,
		ClaimedAt: time.Unix(1_772_442_000, 123_456_789), LeaseUntil: time.Unix(1_772_442_030, 0), CompletedAt: time.Unix(-1, 5),
		Reply: engine.Reply{Status: 201, Reason: "r", Header: []engine.Field{{Name: "N", Value: "v"}, {Name: "M"}}, Body: []byte("body")},
	}
}

// TestChecksumIsFixed pins the encoding: databases hold it.
func TestChecksumIsFixed(t *testing.T) {
	done := answered()
	claimed := engine.Record{Key: done.Key, State: engine.InProgress, ClaimedAt: done.ClaimedAt, LeaseUntil: done.LeaseUntil}
	// Computed apart from this program, with Python's hashlib and struct.
	const want = "01f81615aaba6f7b764948e3778a50693d 01a5c93e8fd914910f9b4c14f28f6fce9e"
	if got := fmt.Sprintf("%x %x", done.Checksum(), claimed.Checksum()); got != want {
		t.Errorf("the checksums are %s", got)
	}
}

// changes each change what a record says.
var changes = map[string]func(*engine.Record){
	"client":                  func(r *engine.Record) { r.Key.ClientID = "shop/" },
	"client to endpoint":      func(r *engine.Record) { r.Key.ClientID, r.Key.Endpoint = "shop/", "t" },
	"endpoint":                func(r *engine.Record) { r.Key.Endpoint = "/u" },
	"key":                     func(r *engine.Record) { r.Key.Key = "j" },
	"key in another case":     func(r *engine.Record) { r.Key.Key = "K" },
	"state":                   func(r *engine.Record) { r.State = engine.InProgress },
	"rule of the fingerprint": func(r *engine.Record) { r.Fingerprint[0]++ },
	"fingerprint":             func(r *engine.Record) { r.Fingerprint[32]++ },
	"life":                    func(r *engine.Record) { r.Life++ },
	"fence":                   func(r *engine.Record) { r.Fence++ },
	"life and fence":          func(r *engine.Record) { r.Life, r.Fence = r.Fence, r.Life },
	"attempt":                 func(r *engine.Record) { r.Attempt++ },
	"claimed":                 func(r *engine.Record) { r.ClaimedAt = r.ClaimedAt.Add(1) },
	"lease":                   func(r *engine.Record) { r.LeaseUntil = r.LeaseUntil.Add(time.Second) },
	"completed":               func(r *engine.Record) { r.CompletedAt = r.CompletedAt.Add(-1) },
	"status":                  func(r *engine.Record) { r.Reply.Status = 200 },
	"reason":                  func(r *engine.Record) { r.Reply.Reason = "" },
	"no header":               func(r *engine.Record) { r.Reply.Header = nil },
	"header's order":          func(r *engine.Record) { h := r.Reply.Header; h[0], h[1] = h[1], h[0] },
	"name to value":           func(r *engine.Record) { r.Reply.Header[0] = engine.Field{Value: "Nv"} },
	"one line of two":         func(r *engine.Record) { r.Reply.Header = []engine.Field{{Name: "N", Value: "vM"}} },
	"no body":                 func(r *engine.Record) { r.Reply.Body = nil },
	"empty body":              func(r *engine.Record) { r.Reply.Body = []byte{} },
	"one bit of the body":     func(r *engine.Record) { r.Reply.Body = []byte("bodx") },
	"longer body":             func(r *engine.Record) { r.Reply.Body = append(r.Reply.Body, 0) },
	"a long body":             func(r *engine.Record) { r.Reply.Body = make([]byte, 1<<20) },
	"not kept":                func(r *engine.Record) { r.Reply.NotKept = true },
}

// TestChecksumTellsRecordsApart: no two changes make one checksum, each is
// damage to a record that keeps the one from before, and no field of a record
// has no change.
func TestChecksumTellsRecordsApart(t *testing.T) {
	before := answered()
	kept := before.Checksum()
	made := map[engine.Checksum]string{kept: "nothing"}
	for name, change := range changes {
		r := answered()
		change(&r)
		if other, twice := made[r.Checksum()]; twice {
			t.Errorf("%s and %s have one checksum", name, other)
		}
		made[r.Checksum()] = name
		if err := r.Check(kept[:]); !errors.Is(err, engine.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
	for i := range reflect.TypeFor[engine.Record]().NumField() {
		same := answered()
		reflect.ValueOf(&same).Elem().Field(i).SetZero()
		if same.Checksum() == kept {
			t.Errorf("%s is not in the checksum", reflect.TypeFor[engine.Record]().Field(i).Name)
		}
	}
}

// TestCheck: what was stored comes back whole in any time zone; no checksum is
// one that an older version did not write, an empty one is damage.
func TestCheck(t *testing.T) {
	r := answered()
	kept := r.Checksum()
	r.ClaimedAt = r.ClaimedAt.In(time.FixedZone("", 3600))
	for name, sum := range map[string][]byte{"its own": kept[:], "none": nil} {
		if err := r.Check(sum); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	newer := kept
	newer[0]++
	for name, sum := range map[string][]byte{"empty": {}, "cut": kept[:16], "longer": append(kept[:], 0), "of another version": newer[:]} {
		if err := r.Check(sum); !errors.Is(err, engine.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
	if n := testing.AllocsPerRun(100, func() { _ = r.Checksum() }); n != 0 {
		t.Errorf("a checksum allocates %v times", n)
	}
}
