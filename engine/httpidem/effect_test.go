package httpidem_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"idem/engine"
	"idem/engine/httpidem"
)

// put is an effect that leaves a document behind.
func put(id string) httpidem.Effect {
	return func(ctx context.Context, tx engine.Tx, _ http.ResponseWriter) error {
		return tx.PutDocument(ctx, "test", id, []byte("x"))
	}
}

func (r *rig) documents(ids ...string) string {
	r.t.Helper()
	found := ""
	err := r.store.View(context.Background(), func(tx engine.Tx) error {
		for _, id := range ids {
			doc, err := tx.Document(context.Background(), "test", id)
			if err != nil {
				return err
			}
			if doc != nil {
				found += id
			}
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

func TestEffectsAreCommittedWithTheReply(t *testing.T) {
	r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
		httpidem.OnComplete(r.Context(), put("a"))
		httpidem.OnComplete(r.Context(), put("b"))
		created(w, r)
	})
	for range 2 {
		want(t, r.post("k", "x"), 201, "")
	}
	if got := r.documents("a", "b"); got != "ab" {
		t.Errorf("documents %q", got)
	}
	r.ran(1)
}

func TestEffectDecidesTheReply(t *testing.T) {
	r := newRig(t, httpidem.Options{}, func(_ http.ResponseWriter, r *http.Request) {
		httpidem.OnComplete(r.Context(), func(_ context.Context, _ engine.Tx, w http.ResponseWriter) error {
			w.Header().Set("Location", "/x")
			w.WriteHeader(402)
			_, err := fmt.Fprint(w, "no money")
			return err
		})
	})
	for replay := range 2 {
		w := r.post("k", "x")
		want(t, w, 402, "")
		isReplay(t, w, replay == 1)
		if w.Body.String() != "no money" || w.Header().Get("Location") != "/x" {
			t.Errorf("body %q, Location %q", w.Body, w.Header().Get("Location"))
		}
	}
}

func TestEffectCannotTakeBackWhatTheHandlerSaid(t *testing.T) {
	r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
		httpidem.OnComplete(r.Context(), func(_ context.Context, _ engine.Tx, w http.ResponseWriter) error {
			w.WriteHeader(500)
			_, err := fmt.Fprint(w, "b")
			return err
		})
		w.WriteHeader(201)
		fmt.Fprint(w, "a")
	})
	w := r.post("k", "x")
	want(t, w, 201, "")
	if w.Body.String() != "ab" {
		t.Errorf("body %q", w.Body)
	}
}

// A store may run its transaction again; each run starts from the handler's reply.
func TestEffectThatRunsTwiceWritesOneReply(t *testing.T) {
	r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
		httpidem.OnComplete(r.Context(), func(_ context.Context, _ engine.Tx, w http.ResponseWriter) error {
			w.Header().Add("Link", "</b>")
			_, err := fmt.Fprint(w, "b")
			return err
		})
		w.Header().Add("Link", "</a>")
	})
	r.store.Store = twice{r.store.Store}
	for range 2 {
		w := r.post("k", "x")
		if got := w.Body.String(); got != "b" {
			t.Errorf("body %q", got)
		}
		if got := fmt.Sprint(w.Header()["Link"]); got != "[</a> </b>]" {
			t.Errorf("Link %s", got)
		}
	}
}

type twice struct{ engine.Store }

func (s twice) Complete(ctx context.Context, c engine.Completion, p engine.Policy, e engine.Effect) (engine.Record, engine.Settlement, error) {
	return s.Store.Complete(ctx, c, p, func(ctx context.Context, tx engine.Tx) (engine.Reply, error) {
		if _, err := e(ctx, tx); err != nil {
			return engine.Reply{}, err
		}
		return e(ctx, tx)
	})
}

func TestEffectThatFailsIsAStored500(t *testing.T) {
	tests := map[string]httpidem.Effect{
		"error": func(context.Context, engine.Tx, http.ResponseWriter) error { return errors.New("constraint") },
		"panic": func(context.Context, engine.Tx, http.ResponseWriter) error { panic("x") },
	}
	for name, effect := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
				httpidem.OnComplete(r.Context(), put("a"))
				httpidem.OnComplete(r.Context(), effect)
				created(w, r)
			})
			for replay := range 2 {
				w := r.post("k", "x")
				want(t, w, 500, "internal_error")
				isReplay(t, w, replay == 1)
			}
			if got := r.documents("a"); got != "" {
				t.Errorf("documents %q", got)
			}
			r.ran(1)
		})
	}
}

// A store that fails inside the effect is not the request's fault: it is not
// stored, and the retry that takes over runs once more.
func TestStoreThatFailsInsideTheEffectIs503(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := true
		r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
			httpidem.OnComplete(r.Context(), put("a"))
			httpidem.OnComplete(r.Context(), func(context.Context, engine.Tx, http.ResponseWriter) error {
				if fail {
					return fmt.Errorf("post: %w", engine.ErrUnavailable)
				}
				return nil
			})
			created(w, r)
		})
		w := r.post("k", "x")
		want(t, w, 503, "store_unavailable")
		if got := w.Header().Get("Retry-After"); got != "30" {
			t.Errorf("Retry-After %q", got)
		}
		want(t, r.post("k", "x"), 409, "in_progress")
		if got := r.documents("a"); got != "" {
			t.Errorf("documents %q", got)
		}
		fail = false
		time.Sleep(30 * time.Second)
		want(t, r.post("k", "x"), 201, "")
		r.ran(2)
	})
}

func TestEffectsRegisteredTooLateAreDropped(t *testing.T) {
	late := make(chan func(), 1)
	r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
		late <- func() {
			httpidem.OnComplete(r.Context(), put("a"))
			w.WriteHeader(500)
			fmt.Fprint(w, "late")
		}
		w.WriteHeader(201)
	})
	want(t, r.post("k", "x"), 201, "")
	(<-late)()
	w := r.post("k", "x")
	want(t, w, 201, "")
	if w.Body.Len() != 0 || r.documents("a") != "" {
		t.Errorf("body %q, documents %q", w.Body, r.documents("a"))
	}
}

func TestOnCompleteWithoutAClaimPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an effect that would never be committed was accepted")
		}
	}()
	httpidem.OnComplete(context.Background(), put("a"))
}

// No reply says that money moved unless a durable record says so too.
func TestCompletionThatFails(t *testing.T) {
	type completion = func() (engine.Record, engine.Settlement, error)
	lostAnswer := fmt.Errorf("commit: %w", engine.ErrUnknownCommit)
	tests := []struct {
		name     string
		complete func(next completion) (engine.Record, engine.Settlement, error)
		status   int
		retry    int // of a retry at once
		kept     string
	}{
		{"disk full", func(completion) (engine.Record, engine.Settlement, error) {
			return engine.Record{}, 0, fmt.Errorf("disk full: %w", engine.ErrUnavailable)
		}, 503, 409, ""},
		{"busy", func(completion) (engine.Record, engine.Settlement, error) {
			return engine.Record{}, 0, engine.ErrBusy
		}, 503, 409, ""},
		{"error that nobody foresaw", func(completion) (engine.Record, engine.Settlement, error) {
			return engine.Record{}, 0, errors.New("?")
		}, 503, 409, ""},
		{"answer lost before the commit", func(completion) (engine.Record, engine.Settlement, error) {
			return engine.Record{}, 0, lostAnswer
		}, 503, 409, ""},
		{"answer lost after the commit", func(next completion) (engine.Record, engine.Settlement, error) {
			if _, _, err := next(); err != nil {
				return engine.Record{}, 0, err
			}
			return engine.Record{}, 0, lostAnswer
		}, 201, 201, "a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, httpidem.Options{}, func(w http.ResponseWriter, r *http.Request) {
				httpidem.OnComplete(r.Context(), put("a"))
				created(w, r)
			})
			r.store.complete = test.complete
			w := r.post("k", "x")
			want(t, w, test.status, "")
			if isReplay(t, w, false); (w.Header().Get("Retry-After") != "") != (test.status == 503) {
				t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
			}
			if got := r.documents("a"); got != test.kept {
				t.Errorf("documents %q, want %q", got, test.kept)
			}
			want(t, r.post("k", "x"), test.retry, "")
			r.ran(1)
		})
	}
}

// The answer of a commit may be lost where nothing is stored or somebody else
// holds the key by now.
func TestAnswerLostOfAReleasedOrOvertakenClaim(t *testing.T) {
	p := engine.HTTPPolicy()
	p.Stored = engine.StoreSuccess
	r := newRig(t, httpidem.Options{Policy: p}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(402) })
	r.store.complete = func(next func() (engine.Record, engine.Settlement, error)) (engine.Record, engine.Settlement, error) {
		if _, _, err := next(); err != nil {
			return engine.Record{}, 0, err
		}
		return engine.Record{}, 0, engine.ErrUnknownCommit
	}
	want(t, r.post("k", "x"), 402, "")

	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, httpidem.Options{}, created)
		r.store.complete = func(next func() (engine.Record, engine.Settlement, error)) (engine.Record, engine.Settlement, error) {
			if _, _, err := next(); err != nil {
				return engine.Record{}, 0, err
			}
			r.store.complete = nil
			time.Sleep(25 * time.Hour)
			want(t, r.post("k", "y"), 201, "")
			return engine.Record{}, 0, engine.ErrUnknownCommit
		}
		want(t, r.post("k", "x"), 409, "claim_lost")
	})
}

func TestStoreThatFailsAtTheClaim(t *testing.T) {
	for name, cause := range map[string]error{
		"busy": engine.ErrBusy, "down": engine.ErrUnavailable, "unknown": engine.ErrUnknownCommit,
		"timeout": context.DeadlineExceeded, "anything": errors.New("?"),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, httpidem.Options{}, created)
			r.store.claim = func(func() (engine.Verdict, error)) (engine.Verdict, error) {
				return engine.Verdict{}, fmt.Errorf("claim key: %w", cause)
			}
			w := r.post("k", "x")
			want(t, w, 503, "store_unavailable")
			if got := w.Header().Get("Retry-After"); got != "1" {
				t.Errorf("Retry-After %q", got)
			}
			if e := r.last(); e.Outcome != httpidem.Unavailable || !errors.Is(e.Err, cause) {
				t.Errorf("event %q, %v", e.Outcome, e.Err)
			}
			r.ran(0)
		})
	}
}

func TestClosedStoreIs503(t *testing.T) {
	r := newRig(t, httpidem.Options{}, created)
	if err := r.store.Close(); err != nil {
		t.Fatal(err)
	}
	want(t, r.post("k", "x"), 503, "store_unavailable")
	r.ran(0)
}
