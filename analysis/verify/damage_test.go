package verify_test

import (
	"database/sql"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"idem/analysis"
)

// TestDamagedPages: where a page was overwritten and everything holds, nothing
// was there that matters: every row reads as before.
func TestDamagedPages(t *testing.T) {
	path := ledger(t)
	good, err := os.ReadFile(path)
	must(t, err)
	want, told := contents(t, path), 0
	const page = 4096
	for at := 0; at < len(good); at += page {
		path := filepath.Join(t.TempDir(), "damaged.db")
		text := append([]byte{}, good...)
		for i := at + page/4; i < at+3*page/4; i++ {
			text[i] = 0xa5
		}
		must(t, os.WriteFile(path, text, 0o600))
		r, err := audit(t, path, nil)
		switch {
		case err != nil && !errors.Is(err, analysis.ErrUnreadable):
			t.Errorf("page %d: %v", at/page+1, err)
		case err != nil || !r.Holds():
			told++
		case contents(t, path) != want:
			t.Errorf("page %d is damaged and everything holds", at/page+1)
		}
	}
	if told < 5 {
		t.Errorf("damage was told of %d pages only", told)
	}
}

// TestBitFlips flips single bits anywhere in the file: a ledger that holds is
// the ledger that was written, with all that it answers. A holder's name is not
// compared.
func TestBitFlips(t *testing.T) {
	path := ledger(t)
	good, err := os.ReadFile(path)
	must(t, err)
	want, told := money(t, path), 0
	random := rand.New(rand.NewPCG(1, 1))
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	for range 300 {
		text := append([]byte{}, good...)
		bit := random.IntN(8 * len(text))
		text[bit/8] ^= 1 << (bit % 8)
		must(t, os.WriteFile(damaged, text, 0o600))
		r, err := audit(t, damaged, nil)
		switch {
		case err != nil && !errors.Is(err, analysis.ErrUnreadable):
			t.Errorf("bit %d of byte %d: %v", bit%8, bit/8, err)
		case err != nil || !r.Holds():
			told++
		case money(t, damaged) != want:
			t.Errorf("bit %d of byte %d is flipped and everything holds", bit%8, bit/8)
		}
	}
	if told < 30 {
		t.Errorf("only %d of the flips were told", told)
	}
}

// money is what each row says of money, of whose it is, and of what a retry gets.
func money(tb testing.TB, path string) (text string) {
	tb.Helper()
	db, err := sql.Open("sqlite", path)
	must(tb, err)
	defer db.Close()
	err = db.QueryRow(`SELECT (SELECT group_concat(concat_ws('|', acct_id, balance)) FROM account) || (SELECT group_concat(concat_ws('|', transfer_id, src, dst, amount, currency, created_at)) FROM transfer)
		|| (SELECT group_concat(concat_ws('|', life, fence, transfer_id, n, hex(hash))) FROM transfer_claim) || (SELECT group_concat(concat_ws('|', client_id, endpoint, idem_key, state, hex(fingerprint), life, fence, attempt, claimed_at, lease_until,
			completed_at, status, reason, header, hex(body), not_kept)) FROM idempotency_key)`).Scan(&text)
	must(tb, err)
	return text
}

// contents is every row of the tables that an audit reads.
func contents(tb testing.TB, path string) (text string) {
	tb.Helper()
	db, err := sql.Open("sqlite", path)
	must(tb, err)
	defer db.Close()
	err = db.QueryRow(`SELECT (SELECT group_concat(concat_ws('|', acct_id, balance)) FROM account) || (SELECT group_concat(concat_ws('|', transfer_id, src, dst, amount, currency, created_at)) FROM transfer)
		|| (SELECT group_concat(concat_ws('|', life, fence, transfer_id, n, hex(hash))) FROM transfer_claim) || (SELECT group_concat(concat_ws('|', idem_key, state, life, fence, attempt, claimed_at, lease_until, status, body)) FROM idempotency_key)`).Scan(&text)
	must(tb, err)
	return text
}
