package payments

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"idem/engine"
	"idem/engine/httpidem"

	"github.com/go-json-experiment/json"
)

func (a *API) createIntent(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		unreadable.Write(w)
		return
	}
	req, problem := parseIntent(body)
	if problem != nil {
		problem.Write(w)
		return
	}
	id, err := a.newID("pi_")
	if err != nil {
		broken.Write(w)
		return
	}
	now := a.now()
	intent := newIntent(id, req, now)
	stored := marshal(document{Client: httpidem.Client(r.Context()), Intent: intent})
	httpidem.OnComplete(r.Context(), func(ctx context.Context, tx engine.Tx, _ http.ResponseWriter) error {
		return tx.PutDocument(ctx, documentKind, id, stored)
	})
	a.due.add(id, now.Add(req.expiry()))
	w.Header().Set("Location", intentsPath+"/"+id)
	writeJSON(w, http.StatusCreated, marshal(intent))
}

func newIntent(id string, req intentRequest, now time.Time) Intent {
	return Intent{
		ID: id, State: StateCreated, Version: 1, Amount: req.Amount,
		Chain: req.Chain, Token: req.Token, Payer: req.Payer, Merchant: req.Merchant,
		CreatedAt: engine.FormatInstant(now),
		ExpiresAt: engine.FormatInstant(now.Add(req.expiry())),
	}
}

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		// What was parsed strictly is valid UTF-8, the only thing that could fail.
		panic("payments: " + err.Error())
	}
	return b
}

// readIntent answers 404 also for an intent of another client: its existence is
// nobody else's business.
func (a *API) readIntent(w http.ResponseWriter, r *http.Request, id string) {
	now := a.now()
	var doc *document
	err := a.store.View(r.Context(), func(tx engine.Tx) (err error) {
		doc, err = loadIntent(r.Context(), tx, id)
		return err
	})
	if err != nil {
		w.Header().Set("Retry-After", "1")
		storeFailed.Write(w)
		return
	}
	if doc == nil || doc.Client != httpidem.Client(r.Context()) {
		notFound.Write(w)
		return
	}
	intent, err := doc.Intent.at(now)
	if err != nil {
		broken.Write(w)
		return
	}
	if intent.State != doc.Intent.State {
		// Noticed by a reader; the next sweep writes it down.
		a.due.add(id, now)
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusOK, marshal(intent))
}

// loadIntent is nil when there is none.
func loadIntent(ctx context.Context, tx engine.Tx, id string) (*document, error) {
	raw, err := tx.Document(ctx, documentKind, id)
	if err != nil {
		return nil, fmt.Errorf("read intent: %w", err)
	}
	if raw == nil {
		return nil, nil
	}
	var doc document
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("stored intent %s: %w", id, err)
	}
	return &doc, nil
}
