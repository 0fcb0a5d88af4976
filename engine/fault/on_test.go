//go:build faults

package fault

import (
	"errors"
	"testing"
)

// TestWatch: a watcher is called at each place and may make it fail.
func TestWatch(t *testing.T) {
	wrong := errors.New("wrong")
	var seen []string
	Watch(func(place string) error {
		seen = append(seen, place)
		if place == InEffect {
			return wrong
		}
		return nil
	})
	if err := Point(BeforeCommit); err != nil {
		t.Errorf("a place fails by itself: %v", err)
	}
	if err := Point(InEffect); !errors.Is(err, wrong) || len(seen) != 2 || !Enabled {
		t.Errorf("the watcher saw %q and its error came back as %v", seen, err)
	}
	Watch(nil)
	if err := Point(InEffect); err != nil || len(seen) != 2 {
		t.Errorf("nobody watches, and the place fails: %v", err)
	}
}
