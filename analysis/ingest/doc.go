// Package ingest makes an incident database of what people have: gateway logs
// and ledger exports. It shows what it understood before it is believed, and
// refuses to guess about time, units and keys: what could be read in two ways is
// an [Unsettled] error that names the flag which settles it.
//
// # The way of a row
//
//	file -> source (unpacked, UTF-8) -> Format.Read -> Sink -> batch -> store
//
// [Import] plans first: every file is opened, its format found by its beginning,
// its [Mapping] settled, and its beginning read on trial. Then requests are
// loaded, put in the order of time and numbered; transfers are loaded and tied
// to their requests; accounts that no file gives are assumed. Reading and
// writing go side by side, joins are made in SQLite, and memory does not grow
// with the files. The database appears whole or not at all.
//
// Each row of a file becomes a request, a transfer, an account, or a row of the
// table reject with its line and reason: read = accepted + rejected. A rejected
// row may be set aside, which says that it is sound but tells of no request or
// transfer of its own: a fee, a payout, a row that stands in another file too.
//
// # What comes out
//
// The tables account, req_log and transfer_v1 of an incident, with further
// columns (schema.sql says what each holds), and source, reject, mapping and
// import, which tell where every row came from and how to do it again.
//
//   - seq numbers requests in the order of time; ties by file, then line.
//   - idem_key has lost the quotes of a structured field and blanks around it;
//     key_raw then holds it as received. body_key is a key that stands in the
//     body, to be compared with the header's; it is the key where a body calls it
//     an idempotency key and no header has one.
//   - body is what the engine reads. body_from says what it is: "log", as
//     received; "moved", with src, dst, amount and currency on top, because they
//     stand elsewhere in the received body, in other units or in a form; "ledger",
//     the same with what the ledger shows, because the received body shows no
//     payment although the request moved money; "key", that of another send of
//     the same key; "none", {} where the log has no body and no transfer is
//     known. What was received then stands in body_received, and under "received"
//     in body, so that two bodies are equal when what was received is.
//   - kind is payment, other (a request that asks for no payment, and moves
//     nothing in a replay) or unknown (no readable body).
//   - secrets are taken out of all texts before anything else; see package secret.
//   - join_kind and join_confidence say how a transfer was tied to its request.
//   - An assumed account opens with all that moved from it and all that requests
//     ask of it, together, so that no replay is refused for its sake.
//
// # Rules about bad input
//
//   - A line of more than 16 MiB, a row that is not UTF-8 or holds a NUL, a row
//     with more or fewer fields than the header, JSON that two readers could read
//     differently (duplicate names), a row in another format: rejected, and
//     reading goes on behind it. A quote that is never closed costs its own line.
//     A last line that is cut is a row like any other, and mostly rejected.
//   - Times: package moment. Amounts: package money. An amount that is not above
//     zero is no transfer.
//   - Rows out of order are put in order. A row that says the same as an earlier
//     one of its id is set aside, one that says otherwise is rejected. Equal rows
//     without an id are one only when they stand in two files; see
//     sql/fold_nameless.sql.
//   - A compressed file that is cut or damaged, or expands more than 200 times, is
//     an error of the import: nobody knows what is missing.
//   - A file may stand in an import once, by its SHA-256.
//
// # Writing a format
//
// One file here and a sample; nothing else knows of it but the table in
// format.go.
//
//  1. testdata/NAME/ROLE-what.sample: a small file with every quirk, written by
//     hand or under a licence that allows it (then say so in
//     testdata/ORIGINS.md). ROLE is requests or transfers.
//     ROLE-what.toml beside it is the mapping it needs, if it needs one.
//  2. NAME.go with a var of type *[Format], entered in the table formats.
//     Sniff looks at the first 256 KiB at most and must be strict: a test asks
//     every format about every sample.
//     Map returns given.Or(Mapping{...}) with all that the format fixes: TimeIs,
//     DurationUnit, Zone, AmountUnit, and under Columns what is read from where
//     (it is shown and stored, whether Read uses it or not).
//     Read loops with in.EachLine, in.EachRecord or in.EachJSON, or reads in
//     itself with a streaming decoder (never all of it), and hands each row to
//     out exactly once: out.Request, out.Transfer, out.Reject(line, text, err),
//     out.Aside(line, text, why). Texts are copied by the sink, so one buffer
//     may serve for all rows. Stop when !out.Going().
//     Most formats are rows with known columns, and four types make the whole
//     Format of a Mapping, of what marks it, and of a fix for a row once it is
//     filled (split a list, turn a refund around, return aside("a fee")):
//     jsonLog for logs of JSON lines, whose members may be named by the user;
//     textLog for logs of lines with parts in a fixed order; csvLedger and
//     jsonLedger for ledgers. bankRow makes transfers of an account's statement.
//     A JSON document that is too long to hold is read with in.EachEntry.
//  3. go test ./analysis/ingest -run Samples -update writes
//     testdata/NAME/ROLE-what.want, the rows as the sink took them: read it.
//
// Times are nanoseconds since 1970 UTC: use moment.Reader and moment.Span, which
// know the rules (leap seconds, gaps, offsets). With AtEnd set, At is when the
// request ended and the sink takes the duration off. Amounts are minor units of
// ISO 4217: rules.amount reads them, with money.Provider for a provider's own
// exponents; money.Code for lower-case currencies. JSON is read with place.Finder
// or in.EachJSON. Wrap what could be read in two ways in
// unsettled("--flag", ...); wrap other errors of a value with settle(field, err),
// which knows the flags of times. Secrets need no care: the sink removes them.
// Headers that hold keys are in keyHeaders, compared by plainName.
package ingest
