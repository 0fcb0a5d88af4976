package report

import (
	"encoding/json"
	"slices"

	"idem/analysis"
	"idem/analysis/findings"
)

// dupReport is dup_report.json. The order of its members is the file's.
type dupReport struct {
	Requests       int64    `json:"requests"`
	UniqueKeys     int64    `json:"unique_keys"`
	DuplicateKeys  int64    `json:"duplicate_keys"`
	ExtraTransfers int64    `json:"extra_transfers"`
	DoublePaid     *int64   `json:"double_paid"`
	Keys           []string `json:"keys"`

	ByCurrency map[string]dupMoney `json:"by_currency"`
	Transfers  int64               `json:"transfers"`
	V1Total    *int64              `json:"v1_total"`
	Groups     []dupGroup          `json:"groups"`
	Keyless    dupKeyless          `json:"keyless"`
	Unmatched  dupUnmatched        `json:"unmatched"`
	KeyDiffers dupKeyDiffers       `json:"key_differs"`
	Unusable   dupUnusable         `json:"unusable"`
	Negative   dupNegative         `json:"negative_amounts"`
	First      *string             `json:"first_received_at"`
	Last       *string             `json:"last_received_at"`
	LongestGap json.Number         `json:"longest_gap_seconds"`

	Evidence evidenceJSON `json:"evidence"`
	Version  string       `json:"version"`
	Policy   *string      `json:"policy_sha256"`

	findingsHead
	Findings []findingJSON `json:"findings"` // as are keys and groups, empty here: see WriteDupReport
}

type dupMoney struct {
	DoublePaid int64 `json:"double_paid"`
	V1Total    int64 `json:"v1_total"`
	Unmatched  int64 `json:"unmatched"`
}

type dupGroup struct {
	ClientID string           `json:"client_id"`
	Endpoint string           `json:"endpoint"`
	Key      string           `json:"idem_key"`
	Requests int64            `json:"requests"`
	Kept     string           `json:"kept"`
	Extra    []string         `json:"extra"`
	Paid     map[string]int64 `json:"double_paid_by_currency"`
	FirstAt  *string          `json:"first_at"`
	LastAt   *string          `json:"last_at"`
	Gap      json.Number      `json:"gap_seconds"`
}

type dupKeyless struct {
	Requests  int64 `json:"requests"`
	Transfers int64 `json:"transfers"`
}

type dupUnmatched struct {
	Count     int64         `json:"count"`
	Total     *int64        `json:"total"`
	Transfers []dupTransfer `json:"transfers"`
}

type dupTransfer struct {
	ID        string  `json:"transfer_id"`
	Seq       *int64  `json:"seq"`
	Key       string  `json:"idem_key"`
	Src       string  `json:"src"`
	Dst       string  `json:"dst"`
	Amount    int64   `json:"amount"`
	Currency  string  `json:"currency"`
	CreatedAt *string `json:"created_at"`
}

type dupKeyDiffers struct {
	Count     int64                    `json:"count"`
	Transfers []analysis.KeyDifference `json:"transfers"`
}

type dupUnusable struct {
	Requests  int64             `json:"requests"`
	Transfers int64             `json:"transfers"`
	Accounts  int64             `json:"accounts"`
	LeftOut   map[string]int64  `json:"in_no_sum_by_currency"` // of transfers whose amount and currency can be read
	Rows      []analysis.BadRow `json:"rows"`
}

// dupNegative are transfers with an amount below zero. Every sum of the file
// holds them as they stand, double_paid too.
type dupNegative struct {
	Transfers int64  `json:"transfers"`
	Total     *int64 `json:"total"`
}

// dupReportHead is all but the three long lists.
func dupReportHead(d *analysis.Duplicates, r *findings.Result, evidence analysis.Evidence, version, policyHash string) ([]byte, error) {
	all := currencies(d.V1Total, d.DoublePaid, d.UnmatchedTotal)
	v := dupReport{
		Requests: d.Requests, UniqueKeys: d.UniqueKeys, DuplicateKeys: d.DuplicateKeys,
		ExtraTransfers: d.ExtraTransfers, DoublePaid: total(d.DoublePaid, all),
		Keys: []string{},
		ByCurrency: byCurrency(all, func(c string) dupMoney {
			return dupMoney{d.DoublePaid.Of(c), d.V1Total.Of(c), d.UnmatchedTotal.Of(c)}
		}),
		Transfers: d.Transfers, V1Total: total(d.V1Total, all),
		Groups:     []dupGroup{},
		Keyless:    dupKeyless{d.KeylessRequests, d.KeylessTransfers},
		Unmatched:  dupUnmatched{d.UnmatchedCount, total(d.UnmatchedTotal, all), make([]dupTransfer, 0, len(d.Unmatched))},
		KeyDiffers: dupKeyDiffers{d.KeyDiffersCount, make([]analysis.KeyDifference, 0, len(d.KeyDiffers))},
		Unusable:   dupUnusable{d.BadRequests, d.BadTransfers, d.BadAccounts, byCurrency(d.BadTotal.Currencies(), d.BadTotal.Of), make([]analysis.BadRow, 0, len(d.Bad))},
		Negative:   dupNegative{d.NegativeTransfers, total(d.NegativeTotal, all)},
		First:      instant(d.First), Last: instant(d.Last), LongestGap: seconds(d.LongestGap),
		Evidence: evidenceOf(evidence), Version: version, findingsHead: headOf(r), Findings: []findingJSON{},
	}
	if policyHash != "" {
		v.Policy = &policyHash
	}
	v.fill(d)
	return encode(v)
}

// fill copies the lists, each string as JSON can carry it.
func (v *dupReport) fill(d *analysis.Duplicates) {
	for _, t := range d.Unmatched {
		v.Unmatched.Transfers = append(v.Unmatched.Transfers, transferJSON(t))
	}
	for _, k := range d.KeyDiffers {
		k.TransferID, k.Transfer, k.Request = valid(k.TransferID), valid(k.Transfer), valid(k.Request)
		v.KeyDiffers.Transfers = append(v.KeyDiffers.Transfers, k)
	}
	for _, b := range d.Bad {
		b.Row, b.Value, b.Reason = valid(b.Row), valid(b.Value), valid(b.Reason)
		v.Unusable.Rows = append(v.Unusable.Rows, b)
	}
}

func groupJSON(g *analysis.Group) dupGroup {
	extra := slices.Clone(g.Extra)
	for i := range extra {
		extra[i] = valid(extra[i])
	}
	return dupGroup{
		ClientID: valid(g.ClientID), Endpoint: valid(g.Endpoint), Key: valid(g.Key),
		Requests: g.Requests, Kept: valid(g.Kept), Extra: extra,
		Paid:    byCurrency(g.Paid.Currencies(), g.Paid.Of),
		FirstAt: instant(g.FirstAt), LastAt: instant(g.LastAt), Gap: seconds(g.Gap),
	}
}

func transferJSON(t analysis.TransferV1) dupTransfer {
	v := dupTransfer{
		ID: valid(t.ID), Key: valid(t.Key), Src: valid(t.Src), Dst: valid(t.Dst),
		Amount: t.Amount, Currency: valid(t.Currency), CreatedAt: instant(t.CreatedAt),
	}
	if t.HasSeq {
		v.Seq = &t.Seq
	}
	return v
}
