package report

// risk is a remaining risk as it was measured on this day. Its texts are
// "risk_NAME", "measured_NAME" with Args, and "todo_NAME", which is shown where
// there is something to do.
type risk struct {
	Name string
	Args []any
	Open bool
}

// risks is the table of what is measured. Each row stands in the report, also
// where it is zero: that it was looked for is part of the answer.
func risks(day *Day, f *facts) []risk {
	res, dup := &day.Result, day.Duplicates
	looks := &f.LookAlikes
	byLedger := res.Refused - res.Keyless - res.Unusable - res.LostClaims - res.Crashed
	return []risk{
		{"retention", []any{lifetime(res.Policy.Retention), res.LongestGap}, res.RetentionTooShort()},
		{"look_alike", []any{looks.Count, looks.Paid, lookWindow}, looks.Count > 0},
		{"mismatch", []any{res.Mismatch, f.DisputedPaid}, res.Mismatch > 0},
		{"keyless", []any{dup.KeylessRequests, dup.KeylessTransfers}, dup.KeylessRequests > 0},
		{"unmatched", []any{dup.UnmatchedCount, dup.UnmatchedTotal}, dup.UnmatchedCount > 0},
		{"unusable", []any{dup.BadRequests, dup.BadTransfers, dup.BadAccounts, dup.BadTotal}, dup.BadRequests+dup.BadTransfers+dup.BadAccounts > 0},
		{"negative", []any{dup.NegativeTransfers, dup.NegativeTotal}, dup.NegativeTransfers > 0},
		{"key_differs", []any{dup.KeyDiffersCount}, dup.KeyDiffersCount > 0},
		{"refused", []any{byLedger, res.RefusedV1, res.LoggedErrors}, byLedger > 0},
		{"in_flight", []any{res.InFlight}, res.InFlight > 0},
		{"expired", []any{res.ExpiredReruns, f.ExpiredPaid}, res.ExpiredReruns > 0},
		{"takeover", []any{res.Takeovers, res.LostClaims}, res.Takeovers+res.LostClaims > 0},
		{"clock", []any{res.ClockBack, res.UnreadableTimes}, res.ClockBack+res.UnreadableTimes > 0},
	}
}
