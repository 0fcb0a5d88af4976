package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// ErrOverflow: a sum does not fit 64 bits.
var ErrOverflow = errors.New("amount overflows 64 bits")

// Account holds a balance in minor units of its currency.
type Account struct {
	ID      string // by its text: 7 and "7" are one account
	Integer bool   // stored as an integer where the store keeps types
	Holder  string
	Balance int64
}

// Number is the id of an account whose id is an integer, and 0 of another one. It
// fails where the id is no integer as strconv writes it.
func (a Account) Number() (int64, error) {
	if !a.Integer {
		return 0, nil
	}
	n, err := strconv.ParseInt(a.ID, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != a.ID {
		return 0, fmt.Errorf("id %q is not the text of an integer", a.ID)
	}
	return n, nil
}

// Transfer moves amount minor units from src to dst.
type Transfer struct {
	ID        string
	Src, Dst  string // account ids
	Amount    int64  // minor units, above zero
	Currency  string
	CreatedAt time.Time
}

// Refusal is a business refusal: the ledger's answer to a well-formed request
// that moves no money. It is the result of its key, stored and replayed.
type Refusal struct {
	Status int
	Reason string
}

// The ledger's refusals.
var (
	RefusedAmount   = &Refusal{400, "invalid_amount"}
	RefusedSource   = &Refusal{400, "invalid_src"}
	RefusedTarget   = &Refusal{400, "invalid_dst"}
	RefusedCurrency = &Refusal{400, "invalid_currency"}
	RefusedSame     = &Refusal{400, "same_account"}
	RefusedAccount  = &Refusal{404, "unknown_account"}
	RefusedFunds    = &Refusal{402, "insufficient_funds"}
	RefusedOverflow = &Refusal{400, "balance_overflow"}
)

// Reply is the refusal as the stored result of a key.
func (r *Refusal) Reply() Reply { return Reply{Status: r.Status, Reason: r.Reason} }

// CheckFunds is the rule for moving money: src must have it, dst must be able to
// hold it. A nil account is an unknown one. It returns nil when the transfer may
// be posted.
func CheckFunds(src, dst *Account, amount int64) *Refusal {
	switch {
	case amount <= 0:
		return RefusedAmount
	case src == nil || dst == nil:
		return RefusedAccount
	case src.ID == dst.ID:
		return RefusedSame
	case src.Balance < amount:
		return RefusedFunds
	case dst.Balance > math.MaxInt64-amount:
		return RefusedOverflow
	}
	return nil
}

// Add is checked addition of minor units.
func Add(a, b int64) (int64, error) {
	c := a + b
	if (c > a) != (b > 0) {
		return 0, ErrOverflow
	}
	return c, nil
}

// Pay is the effect of a payment order: post the transfer or answer the refusal.
// The transfer's id and time come from the caller.
func Pay(ctx context.Context, tx Tx, o Order, id string, at time.Time) (Reply, error) {
	refused, err := Move(ctx, tx, o, id, at)
	switch {
	case err != nil:
		return Reply{}, err
	case refused != nil:
		return refused.Reply(), nil
	}
	return TransferReply(o, id, at), nil
}

// Move posts the transfer of an order, or says why the ledger refuses it.
func Move(ctx context.Context, tx Tx, o Order, id string, at time.Time) (*Refusal, error) {
	src, err := tx.Account(ctx, o.Src.Text)
	if err != nil {
		return nil, fmt.Errorf("read account: %w", err)
	}
	dst, err := tx.Account(ctx, o.Dst.Text)
	if err != nil {
		return nil, fmt.Errorf("read account: %w", err)
	}
	if refused := CheckFunds(src, dst, o.Amount); refused != nil {
		return refused, nil
	}
	t := Transfer{ID: id, Src: src.ID, Dst: dst.ID, Amount: o.Amount, Currency: o.Currency, CreatedAt: at}
	if err := tx.Post(ctx, t); err != nil {
		return nil, fmt.Errorf("post transfer: %w", err)
	}
	return nil, nil
}

// TransferReply is the reply to an order that was executed as transfer id at an
// instant: 201 and the transfer. The account ids stand as the order wrote them,
// a number as a number.
func TransferReply(o Order, id string, at time.Time) Reply {
	body, err := json.Marshal(struct {
		ID        string          `json:"transfer_id"`
		Src       json.RawMessage `json:"src"`
		Dst       json.RawMessage `json:"dst"`
		Amount    int64           `json:"amount"`
		Currency  string          `json:"currency"`
		CreatedAt string          `json:"created_at"`
	}{id, o.Src.JSON, o.Dst.JSON, o.Amount, o.Currency, FormatInstant(at)})
	if err != nil {
		panic("engine: a parsed order does not marshal: " + err.Error())
	}
	return Reply{Status: 201, Body: body}
}
