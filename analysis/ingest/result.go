package ingest

import "idem/analysis"

// Result is what an import did.
type Result struct {
	Sources  []SourceResult `json:"sources"`
	Rejects  []RejectedRow  `json:"rejects"` // the first ones; the database holds all
	Requests int64          `json:"requests"`
	Payments int64          `json:"payments"` // of the requests
	// Completed requests moved money although their body shows no payment, or is
	// not in the log: the ledger's is used.
	Completed int64          `json:"payments_from_ledger"`
	Transfers int64          `json:"transfers"`
	Accounts  int64          `json:"accounts"`
	Assumed   int64          `json:"assumed_accounts"`
	First     string         `json:"first"` // received_at
	Last      string         `json:"last"`
	Totals    analysis.Money `json:"by_currency"` // of the transfers, minor units
	Joins     []JoinCount    `json:"joins"`
	// Unmatched transfers have no request. Unanswered payments have a 2xx and no
	// transfer.
	Unmatched  int64  `json:"unmatched_transfers"`
	Unanswered int64  `json:"payments_without_transfer"`
	Secrets    int64  `json:"secrets_removed"`
	Body       Body   `json:"body"`    // where payments stand in bodies
	Mapping    string `json:"mapping"` // TOML that repeats the import
}

// SourceResult is what one file held.
type SourceResult struct {
	Role        Role    `json:"role"`
	Path        string  `json:"path"`
	Size        int64   `json:"size"`
	SHA256      string  `json:"sha256"`
	Compression string  `json:"compression"`
	Encoding    string  `json:"encoding"`
	Format      string  `json:"format"`
	Mapping     Mapping `json:"mapping"`
	Counts
	Overlapping int64    `json:"overlapping"`
	Unused      []string `json:"unused_columns"`
}

// RejectedRow is a row that became no row of the incident.
type RejectedRow struct {
	Path   string `json:"path"`
	Line   int64  `json:"line"`
	Aside  bool   `json:"aside"`
	Reason string `json:"reason"`
	Text   string `json:"text"`
}

// JoinCount is how many transfers were tied to requests in one way.
type JoinCount struct {
	Kind       string `json:"kind"`
	Confidence string `json:"confidence"`
	Count      int64  `json:"count"`
}
