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

// createTransfer moves money inside the completing transaction. Whether the
// funds suffice is known only there, so that is where the reply is written.
func (a *API) createTransfer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		unreadable.Write(w)
		return
	}
	order, refused, err := engine.ParseOrder(body)
	if err != nil {
		badRequest("invalid_body", reason(err)).Write(w)
		return
	}
	if refused != nil {
		refusal(refused.Status, refused.Reason).Write(w)
		return
	}
	id, err := a.newID("tr_")
	if err != nil {
		broken.Write(w)
		return
	}
	now := a.now()
	httpidem.OnComplete(r.Context(), func(ctx context.Context, tx engine.Tx, w http.ResponseWriter) error {
		reply, err := engine.Pay(ctx, tx, order, id, now)
		switch {
		case err != nil:
			return err
		case reply.Reason != "":
			refusal(reply.Status, reply.Reason).Write(w)
		default:
			writeJSON(w, reply.Status, reply.Body)
		}
		return nil
	})
}

// refusals say what the ledger's reasons mean.
var refusals = map[string]string{
	engine.RefusedAmount.Reason:   "amount must be an integer above 0 that fits 64 bits",
	engine.RefusedSource.Reason:   "src must be a non-empty string or an integer",
	engine.RefusedTarget.Reason:   "dst must be a non-empty string or an integer",
	engine.RefusedCurrency.Reason: "currency must be a code of visible ASCII",
	engine.RefusedSame.Reason:     "src and dst are one account",
	engine.RefusedAccount.Reason:  "src or dst is not an account here",
	engine.RefusedFunds.Reason:    "src does not have that much",
	engine.RefusedOverflow.Reason: "dst cannot hold that much",
}

func refusal(status int, reason string) httpidem.Problem {
	return httpidem.Problem{Status: status, Code: reason, Detail: refusals[reason]}
}

// TransferOf reads the transfer that a reply of POST /v1/transfers announces; ok
// is false for any other body.
func TransferOf(body []byte) (t engine.Transfer, ok bool) {
	var reply struct {
		ID        string    `json:"transfer_id"`
		CreatedAt time.Time `json:"created_at"`
	}
	order, refused, err := engine.ParseOrder(body)
	if err != nil || refused != nil || json.Unmarshal(body, &reply) != nil || reply.ID == "" {
		return engine.Transfer{}, false
	}
	return engine.Transfer{
		ID: reply.ID, Src: order.Src.Text, Dst: order.Dst.Text,
		Amount: order.Amount, Currency: order.Currency, CreatedAt: reply.CreatedAt,
	}, true
}

// OpenAccounts opens the accounts that the store does not have yet; those it has
// keep their balances. It returns all of them as they stand.
func OpenAccounts(ctx context.Context, store engine.Store, accounts []engine.Account) ([]engine.Account, error) {
	var open []engine.Account
	err := store.Update(ctx, func(tx engine.Tx) error {
		open = open[:0]
		for _, account := range accounts {
			existing, err := tx.Account(ctx, account.ID)
			if err == nil && existing == nil {
				existing, err = &account, tx.OpenAccount(ctx, account)
			}
			if err != nil {
				return fmt.Errorf("open account %q: %w", account.ID, err)
			}
			open = append(open, *existing)
		}
		return nil
	})
	return open, err
}
