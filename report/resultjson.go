package report

import (
	"encoding/json"

	"idem/analysis/replay"
	"idem/engine"
)

// resultFile is result.json. The order of its members is the file's.
type resultFile struct {
	Requests          int64  `json:"requests"`
	Created           int64  `json:"created"`
	Replayed          int64  `json:"replayed"`
	Rejected          int64  `json:"rejected"`
	Transfers         int64  `json:"transfers"`
	TotalTransferred  *int64 `json:"total_transferred"`
	V1Total           *int64 `json:"v1_total"`
	DoublePaidAvoided *int64 `json:"double_paid_avoided"`

	Refused          int64                  `json:"refused"`
	RejectedInFlight int64                  `json:"rejected_in_flight"`
	RejectedMismatch int64                  `json:"rejected_mismatch"`
	ByCurrency       map[string]resultMoney `json:"by_currency"`
	Reconciliation   reconciliationJSON     `json:"reconciliation"`
	RefusedParts     refusedParts           `json:"refused_parts"`
	Clock            clockJSON              `json:"clock"`
	Retention        retentionJSON          `json:"retention"`
	Takeovers        int64                  `json:"takeovers"`
	ExpiredReruns    int64                  `json:"expired_reruns"`
	Injected         *injectedJSON          `json:"injected"`
	Filter           *FilterJSON            `json:"filter"`

	Evidence evidenceJSON `json:"evidence"`
	Version  string       `json:"version"`
	Policy   string       `json:"policy_sha256"`
}

type resultMoney struct {
	TotalTransferred  int64 `json:"total_transferred"`
	V1Total           int64 `json:"v1_total"`
	DoublePaidAvoided int64 `json:"double_paid_avoided"`
}

type reconciliationJSON struct {
	Stopped       *int64                   `json:"stopped_duplicates"`
	Refused       *int64                   `json:"refused_by_ledger"`
	Unusable      *int64                   `json:"unusable_or_keyless"`
	Unmatched     *int64                   `json:"unmatched"`
	OnlyReplay    *int64                   `json:"only_replay"`
	AmountDiffers *int64                   `json:"amount_differences"`
	TakenBack     *int64                   `json:"negative_amounts"`
	ByCurrency    map[string]reconcileTerm `json:"by_currency"`
}

type reconcileTerm struct {
	Stopped       int64 `json:"stopped_duplicates"`
	Refused       int64 `json:"refused_by_ledger"`
	Unusable      int64 `json:"unusable_or_keyless"`
	Unmatched     int64 `json:"unmatched"`
	OnlyReplay    int64 `json:"only_replay"`
	AmountDiffers int64 `json:"amount_differences"`
	TakenBack     int64 `json:"negative_amounts"`
}

type refusedParts struct {
	Keyless      int64 `json:"keyless"`
	Unusable     int64 `json:"unusable"`
	LoggedErrors int64 `json:"logged_errors"`
	LostClaims   int64 `json:"lost_claims"`
	Crashed      int64 `json:"crashed"`
}

// injectedJSON is what was done to a day that its log does not say, by the seqs
// of its requests; null where the day is the log's own. A day with one is a drill.
type injectedJSON struct {
	CrashAt   []int64 `json:"crash_at"`
	StallAt   []int64 `json:"stall_at"`
	RaceAt    []int64 `json:"race_at"`
	NoRenewal bool    `json:"no_renewal"`
}

func injectedOf(o *replay.Options) *injectedJSON {
	if !o.Injects() {
		return nil
	}
	list := func(seqs []int64) []int64 { return append([]int64{}, seqs...) }
	return &injectedJSON{list(o.CrashAt), list(o.StallAt), list(o.RaceAt), o.NoRenewal}
}

type clockJSON struct {
	WentBack   int64 `json:"went_back"`
	Unreadable int64 `json:"unreadable"`
}

type retentionJSON struct {
	Retention  *json.Number `json:"retention_seconds"` // null for no end
	LongestGap json.Number  `json:"longest_gap_seconds"`
	TooShort   bool         `json:"too_short"`
}

// ResultJSON is result.json.
func ResultJSON(r *Report) ([]byte, error) {
	res := &r.day.Result
	avoided, err := res.Avoided()
	if err != nil {
		return nil, err
	}
	all := resultCurrencies(res)
	return encode(resultFile{
		Requests: res.Requests, Created: res.Created, Replayed: res.Replayed,
		Rejected: res.Rejected(), Transfers: res.Transfers,
		TotalTransferred: total(res.Transferred, all), V1Total: total(res.V1Total, all),
		DoublePaidAvoided: total(avoided, all),
		Refused:           res.Refused, RejectedInFlight: res.InFlight, RejectedMismatch: res.Mismatch,
		ByCurrency: byCurrency(all, func(c string) resultMoney {
			return resultMoney{res.Transferred.Of(c), res.V1Total.Of(c), avoided.Of(c)}
		}),
		Reconciliation: reconciled(&res.Reconciliation, all),
		RefusedParts:   refusedParts{res.Keyless, res.Unusable, res.LoggedErrors, res.LostClaims, res.Crashed},
		Clock:          clockJSON{res.ClockBack, res.UnreadableTimes},
		Retention:      retentionOf(res),
		Takeovers:      res.Takeovers, ExpiredReruns: res.ExpiredReruns, Injected: injectedOf(&res.Injected),
		Filter:   FilterOf(r.day.Incident.Narrowing()),
		Evidence: evidenceOf(r.day.Evidence), Version: r.day.Version, Policy: res.Policy.Hash(),
	})
}

// resultCurrencies are all currencies that either side moved.
func resultCurrencies(res *replay.Result) []string {
	return currencies(res.V1Total, res.Transferred)
}

func reconciled(rec *replay.Reconciliation, all []string) reconciliationJSON {
	return reconciliationJSON{
		Stopped: total(rec.Stopped, all), Refused: total(rec.RefusedV1, all),
		Unusable: total(rec.UnusableV1, all), Unmatched: total(rec.Unmatched, all),
		OnlyReplay: total(rec.OnlyReplay, all), AmountDiffers: total(rec.AmountDiffers, all),
		TakenBack: total(rec.TakenBack, all),
		ByCurrency: byCurrency(all, func(c string) reconcileTerm {
			return reconcileTerm{
				rec.Stopped.Of(c), rec.RefusedV1.Of(c), rec.UnusableV1.Of(c),
				rec.Unmatched.Of(c), rec.OnlyReplay.Of(c), rec.AmountDiffers.Of(c), rec.TakenBack.Of(c),
			}
		}),
	}
}

func retentionOf(res *replay.Result) retentionJSON {
	v := retentionJSON{LongestGap: seconds(res.LongestGap), TooShort: res.RetentionTooShort()}
	if res.Policy.Retention != engine.Forever {
		n := seconds(res.Policy.Retention)
		v.Retention = &n
	}
	return v
}
