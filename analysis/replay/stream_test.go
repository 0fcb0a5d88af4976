package replay

import (
	"context"
	"iter"
	"testing"

	"idem/analysis"
	"idem/crash"
	"idem/engine"
)

// broken is a day whose reading panics at its third request.
type broken struct{ Source }

func (broken) Requests(context.Context, int64) iter.Seq2[analysis.Request, error] {
	return func(yield func(analysis.Request, error) bool) {
		for n := range int64(2) {
			if !yield(analysis.Request{N: n + 1}, nil) {
				return
			}
		}
		panic("the day broke")
	}
}

// A panic of the goroutine that reads ahead is one of whoever uses the rows,
// who can catch it.
func TestPanicOfTheReaderComesToTheUser(t *testing.T) {
	var caught *crash.Panic
	func() {
		s := Read(t.Context(), broken{}, engine.DefaultPolicy())
		defer s.Close()
		defer crash.Catch(func(p *crash.Panic) { caught = p })
		for {
			if rows, err := s.Batch(); len(rows) == 0 || err != nil {
				return
			}
		}
	}()
	if caught == nil || caught.Error() != "internal error: the day broke" {
		t.Errorf("caught %v", caught)
	}
}
