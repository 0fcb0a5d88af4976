package main

// mutant is one wrong version of the program.
type mutant struct {
	name     string
	file     string // from the module's root
	old, new string // the text that stands there once, and what takes its place
	pkg, run string // the test that must fail
}

const (
	rules   = "engine/rules.go"
	live    = "./engine/sqlitestore"
	suite   = "^TestLive$"
	middle  = "./engine/httpidem"
	session = "engine/sqlitestore/session.go"

	simulated = "./proof/simulate"
	bulk      = "engine/sqlitestore/bulk.go"
)

// mutants are what is known to go wrong in programs of this kind.
var mutants = []mutant{
	// The rules.
	{"the fence is gone", rules, "existing.Fence == c.Fence && c.Fence != 0", "true", "./engine", "^TestHolds"},
	{"a completed record completes again", rules, "existing.State == InProgress && existing.Fence", "existing.Fence", "./engine", "^TestHolds"},
	{"a purge decides who may complete", rules, "!(existing.Lapsed(c.Now) && p.Expired(existing, c.Now))", "true", "./engine", "^TestHolds"},
	{"a mismatch is replayed", rules, "case !same && p.OnMismatch != MismatchReplays:", "case false:", "./engine", "^TestDecide"},
	{"the lease has one unit more", "engine/record.go", "!now.Before(r.LeaseUntil)", "now.After(r.LeaseUntil)", "./engine", "^TestDecide"},
	{"retention has one unit more", "engine/policy.go", "!now.Before(r.ClaimedAt.Add(p.Retention))", "now.After(r.ClaimedAt.Add(p.Retention))", "./engine", "^TestDecide"},
	{"a takeover keeps the token", rules, "	r.Fence = fence\n", "", "./engine", "^TestTakeover"},
	{"a takeover begins the retention anew", rules, "	r.Attempt++\n", "	r.Attempt++\n	r.ClaimedAt = c.Now\n", "./engine", "^TestTakeover"},
	{"a takeover begins a new life", rules, "	r.Attempt++\n", "	r.Attempt++\n	r.Life = fence\n", "./engine", "^TestTakeover"},
	{"a purge takes live claims", rules, "(r.State == Completed || r.Lapsed(now))", "true", "./engine", "^TestPurge"},
	{"a stored 5xx is dropped", "engine/policy.go", "	default:\n		return true\n", "	default:\n		return status < 500\n", "./engine", "^TestSettle"},
	{"the key has no client", "engine/policy.go", "k.ClientID = r.ClientID", "k.ClientID = \"\"", "./engine", "^TestScopedKey"},
	{"the last unit cannot be paid", "engine/ledger.go", "case src.Balance < amount:", "case src.Balance <= amount:", "./engine", "^TestCheckFunds"},
	{"an account may go below zero", "engine/ledger.go", "case src.Balance < amount:", "case src.Balance+1 < amount:", "./engine", "^TestCheckFunds"},
	{"a sum wraps around", "engine/ledger.go", "if (c > a) != (b > 0) {", "if false {", "./engine", "^TestAdd$"},
	{"large integers are doubles", "engine/canonical.go", "; decimalOf(rfc) == decimalOf(raw) {", "; rfc != \"\" {", "./engine", "^TestCanonical"},
	{"the replayed body is marshalled again", "engine/call.go", "Body: r.Body}", "Body: func() (b []byte) { var v any; _ = json.Unmarshal(r.Body, &v); b, _ = json.Marshal(v); return b }()}", "./engine", "^TestAnswerIs"},
	{"the chain leaves the amount out", "engine/seal.go", "	b = appendSized(b, strconv.AppendInt(digits[:0], amount, 10))\n", "	_ = strconv.AppendInt(digits[:0], amount, 10)\n", "./engine", "^TestSeal"},

	{"the checksum leaves the body out", "engine/checksum.go", "	h.Write(body)\n", "	_ = body\n", "./engine", "^TestChecksum"},

	{"a takeover shares the lease of the first", rules, "	r.LeaseUntil = c.Now.Add(c.Lease)\n", "", "./proof/smallworld", "^TestEvery"},
	{"the small world has no fence", rules, "existing.Fence == c.Fence && c.Fence != 0", "true", "./proof/smallworld", "^TestEvery"},

	// The SQLite store.
	{"BEGIN is deferred", session, `exec("BEGIN IMMEDIATE")`, `exec("BEGIN")`, live, "^TestProcesses"},
	{"a life may make two transfers", "engine/sqlitestore/sql/schema.sql", "life        INTEGER NOT NULL PRIMARY KEY", "life        INTEGER NOT NULL", live, suite},
	{"the key is not unique", "engine/sqlitestore/sql/schema.sql", "UNIQUE (client_id, endpoint, idem_key),", "UNIQUE (client_id, endpoint, idem_key, fence),", live, suite},
	{"a commit does not wait for the disk", "engine/sqlitestore/store.go", `"synchronous = FULL"`, `"synchronous = NORMAL"`, live, "^TestLiveIsDurable$"},
	{"tokens begin anew after a purge", "engine/sqlitestore/sql/counters.sql", "SELECT f.last,", "SELECT coalesce((SELECT max(fence) FROM idempotency_key), 0),", live, suite},
	{"the purge in SQL takes live claims", "engine/sqlitestore/sql/purge.sql", "(state = 'completed' OR lease_until <= ?)", "(state = 'completed' OR lease_until <= ? OR true)", live, suite},
	{"the purge in SQL spares the boundary", "engine/sqlitestore/sql/purge.sql", "lease_until <= ?", "lease_until < ?", live, suite},
	{"an unknown commit counts as failed", "engine/sqlitestore/writer.go", "case !stands:", "case stands || true:", live, "^TestCommit"},
	{"a failed commit counts as done", "engine/sqlitestore/writer.go", "case !stands:", "case stands && false:", live, "^TestCommit"},
	{"the answer comes before the commit", "engine/sqlitestore/writer.go", "		w.guarded(ops)\n		for _, op := range ops {", "		defer w.guarded(ops)\n		for _, op := range ops {", live, suite},
	{"a failed write commits the rest", session, "		err = *failed\n	}\n	if err != nil {", "	}\n	if err != nil {", live, suite},
	{"an undone operation stays in the chain", session, "s.last, s.chain = last, chain", "s.last, _ = last, chain", live, "^TestChain$"},
	{"an undone operation leaves its balances", bulk, "			b.accounts.undo()\n", "", live, "^TestBulk$"},
	{"an undone transfer is written", "engine/sqlitestore/bulkstage.go", "st.transfers[:m.transfers]", "st.transfers[:len(st.transfers)]", live, "^TestBulk$"},
	{"a written key is not looked for", bulk, "	b.seen.add(keyHash(r.Key))\n", "", live, "^TestBulkReads"},
	{"a used file is taken for an empty one", bulk, "b.seen.everything, err = c.used()", "_, err = c.used()", live, "^TestBulkGoesOn$"},
	{"a stage is forgotten while it is written", "engine/sqlitestore/bulktx.go", "return []*stage{b.stage, b.writing}", "return []*stage{b.stage}", live, "^TestBulkHandsOver$"},
	{"a completion ends with its client", "engine/sqlitestore/store.go", "		steady: true,\n", "", live, "^TestCompletionOutlivesItsClient$"},
	{"a balance is written beside another's", "engine/sqlitestore/sql/account.sql", " COLLATE BINARY", "", live, "^TestForeign"},

	{"a checksum is not compared", "engine/checksum.go", "kept == nil ||", "kept == nil || len(kept) == len(sum) ||", live, "^TestLive$/^damage$"},
	{"a damaged reply is replayed", "engine/checksum.go", "kept == nil ||", "kept == nil || len(kept) == len(sum) ||", "./proof/damage", "^TestFlipsUnder"},

	{"two servers count tokens each for itself", session, "if err := s.readCounters(); err != nil {", "if s.last > 0 {\n		return nil\n	}\n	if err := s.readCounters(); err != nil {", simulated, "^TestSchedules$"},
	{"a failed commit is not looked at", "engine/sqlitestore/writer.go", "	if err := w.finish(); err != nil {\n", "	if err := w.finish(); err != nil && w == nil {\n", simulated, "^TestSchedules$"},

	// The memory store and the middleware.
	{"the memory store does not lock its claims", "engine/memstore/memstore.go", "	sh.Lock()\n	defer sh.Unlock()\n	at := sh.find(hash, key)\n	existing := sh.read(at)\n", "	at := sh.find(hash, key)\n	existing := sh.read(at)\n", "./engine/memstore", "^Test"},
	{"the reply is sent before it is stored", middle[2:] + "/run.go", "	settled, err := r.complete(handled)\n", "	handled.again().send(r.x.w)\n	settled, err := r.complete(handled)\n", middle, "^TestSavedBeforeSent$"},
	{"the completion ends with the request", middle[2:] + "/exchange.go", "x.detached = context.WithoutCancel(x.r.Context())", "x.detached = x.r.Context()", middle, "^(TestClientThatLeaves|TestContextKeeps)"},
	{"a lost claim is answered as if kept", middle[2:] + "/run.go", "	case settled == engine.Lost:\n", "	case settled == 99:\n", middle, "^TestOvertaken"},
	{"a panic keeps its effects", middle[2:] + "/run.go", "		reply = reply.failure(handlerFailed)\n", "", middle, "^TestPanic"},
	{"the credential is the client", middle[2:] + "/auth.go", "return HashCredential(credential), nil", "return credential, nil", middle, "^(TestEvent|TestBearer|TestClients|TestHash)"},
	{"all credentials are one client", middle[2:] + "/auth.go", "sum := sha256.Sum256([]byte(credential))", "sum := sha256.Sum256([]byte(credential[:0]))", middle, "^TestClients"},
	{"cookies are replayed", middle[2:] + "/reply.go", "		if keep[f.Name] {", "		if true {", middle, "^TestHeaders"},
	{"a stuck handler holds its client", middle[2:] + "/watch.go", "		go over.giveUp() // it", "		_ = over.giveUp // it", middle, "^(TestHandlerThatOutlives|TestClientOfAStuck)"},

	// The analysis, the replay and the reports.
	{"the rows in the -wal are not read", "analysis/acquire.go", "f.state.wal.size == 0 && !hot(", "!hot(", "./analysis", "^TestNothingIsTouched"},
	{"the clock goes back", "analysis/replay/clock.go", "		return c.now, readBack\n", "		return t, readBack\n", "./analysis/replay", "^(TestClock|TestAnyDay)"},
	{"sums are in any order", "analysis/money.go", "	slices.SortFunc(list, func(a, b sum) int { return strings.Compare(a.currency, b.currency) })\n", "	_ = strings.Compare\n", "./analysis", "^TestMoney"},
	{"escapes reach the terminal", "analysis/printable/printable.go", "		if s[i] < ' ' || s[i] > '~' {", "		if s[i] > '~' {", "./analysis/printable", "^Test"},
	{"the report is not checked", "report/check.go", "checkTransfers, checkClasses, checkTies, checkBalances,", "checkTransfers, checkClasses, checkBalances,", "./report", "^TestCheckFinds"},
	{"the audit does not compare checksums", "analysis/verify/checksums.go", "r.Check(blob(s, 16))", "r.Check(nil)", "./analysis/verify", "^TestDamage$"},
	{"the audit does not look at the chain", "analysis/verify/chain.go", "sealOf(w.seal, s) != stored", "false", "./analysis/verify", "^TestAnyEdit"},

	// The program as a whole, under failing system calls.
	{"a commit that failed is answered 201", "engine/sqlitestore/writer.go", "case !stands:", "case stands && false:", "./proof/iofaults", "^TestSample$"},
	{"another call fails than was aimed at", "proof/iofaults/tracer.go", "at != f.place", "at.nth != f.nth+1", "./proof/iofaults", "^TestTracer$"},

	// The Postgres store: these start a server and run with -postgres.
	{"a completion does not lock its record", "engine/pgstore/sql/record_lock.sql", "FOR UPDATE", "", "./engine/pgstore", "^TestStore$/^race$"},
	{"two servers seal at once", "engine/pgstore/sql/chain_lock.sql", "FOR UPDATE NOWAIT", "", "./analysis/verify", "^TestSealersMeet$"},
	{"a payment waits for the sealing", "engine/pgstore/sql/transfer_claim_insert.sql", "VALUES ($1, $2, $3)", "SELECT $1::BIGINT, $2::BIGINT, $3::TEXT FROM (SELECT n FROM chain_head FOR UPDATE NOWAIT) AS held", "./analysis/verify", "^TestSealingIsNobodysQueue$"},
}
