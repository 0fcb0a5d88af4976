package analysis

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	_ "modernc.org/sqlite"
	"pgregory.net/rapid"
)

// The oracle reads all rows of an incident through another driver and answers
// from plain maps and sorts: slow, and hard to get wrong.

type oracleRequest struct {
	row                   int
	seq                   int64
	hasSeq, first         bool
	client, endpoint, key string
	keyed, badKey         bool
	at                    int64
	timed, unusable       bool
}

type oracleTransfer struct {
	id, key, currency string
	seq               int64
	hasSeq, bad       bool
	badKey, hasAmount bool
	amount, created   int64
}

type oracle struct {
	requests  []*oracleRequest // in seq order, those without one last
	transfers []*oracleTransfer
}

func (r *oracleRequest) scope() Scope { return Scope{r.client, r.endpoint, r.key} }

// cell is one value: its storage class and its text.
type cell struct{ class, text string }

var digits = regexp.MustCompile(`^-?[0-9]+$`)

func (c cell) integer() (int64, bool) {
	if c.class != "integer" && (c.class != "text" || !digits.MatchString(c.text)) {
		return 0, false
	}
	n, err := strconv.ParseInt(c.text, 10, 64)
	if err != nil {
		return 0, false
	}
	return n, true
}

func (c cell) isText() bool  { return c.class == "text" || c.class == "integer" }
func (c cell) present() bool { return c.isText() && c.text != "" }

func (c cell) textOr() string {
	if c.isText() {
		return c.text
	}
	return ""
}

func (c cell) instant() (int64, bool) {
	if c.class != "text" {
		return 0, false
	}
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(strings.Replace(c.text, " ", "T", 1)))
	return t.UnixNano(), err == nil
}

func (c cell) object() bool {
	var m map[string]any
	return (c.class == "text" || c.class == "blob") && json.Unmarshal([]byte(c.text), &m) == nil && m != nil && !strings.Contains(c.text, "twice")
}

func load(t *rapid.T, path, table string, columns ...string) [][]cell {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var list []string
	for _, c := range columns {
		list = append(list, "typeof("+c+")", "CAST("+c+" AS TEXT)")
	}
	rows, err := db.Query("SELECT " + strings.Join(list, ", ") + " FROM " + table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all [][]cell
	for rows.Next() {
		values := make([]sql.NullString, len(list))
		into := make([]any, len(list))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		var row []cell
		for i := 0; i < len(values); i += 2 {
			row = append(row, cell{values[i].String, values[i+1].String})
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func newOracle(t *rapid.T, path string) *oracle {
	o := &oracle{}
	for i, c := range load(t, path, "req_log", "seq", "received_at", "client_id", "endpoint", "idem_key", "body") {
		r := &oracleRequest{row: i, client: c[2].textOr(), endpoint: c[3].textOr(), key: c[4].textOr()}
		r.seq, r.hasSeq = c[0].integer()
		r.at, r.timed = c[1].instant()
		r.keyed = strings.TrimSpace(r.key) != ""
		r.badKey = c[4].class == "blob" || c[4].class == "real"
		r.unusable = !r.hasSeq || !c[2].present() || !c[3].present() || r.badKey || !c[5].object()
		o.requests = append(o.requests, r)
	}
	slices.SortStableFunc(o.requests, func(a, b *oracleRequest) int {
		if a.hasSeq != b.hasSeq {
			return map[bool]int{true: -1, false: 1}[a.hasSeq]
		}
		return cmp.Compare(a.seq, b.seq)
	})
	for i, r := range o.requests {
		r.first = r.hasSeq && (i == 0 || o.requests[i-1].seq != r.seq)
		r.unusable = r.unusable || !r.first
	}
	for _, c := range load(t, path, "transfer_v1", "transfer_id", "seq", "idem_key", "src", "dst", "amount", "currency", "created_at") {
		x := &oracleTransfer{id: c[0].textOr(), key: c[2].textOr(), currency: c[6].textOr()}
		x.seq, x.hasSeq = c[1].integer()
		var okCreated bool
		x.amount, x.hasAmount = c[5].integer()
		x.created, okCreated = c[7].instant()
		x.bad = !c[0].present() || !x.hasAmount || !okCreated || !c[6].present()
		x.badKey = !c[2].isText() && c[2].class != "null"
		o.transfers = append(o.transfers, x)
	}
	return o
}

func (o *oracle) request(x *oracleTransfer) *oracleRequest {
	for _, r := range o.requests {
		if x.hasSeq && r.first && r.seq == x.seq {
			return r
		}
	}
	return nil
}

// answer is the part of Duplicates that is compared: all but the lists of bad
// rows, whose number is.
func (o *oracle) answer() *Duplicates {
	d := &Duplicates{Requests: int64(len(o.requests))}
	rows := o.countRequests(d)
	moved := o.countTransfers(d)
	d.UniqueKeys = int64(len(rows))
	for _, list := range rows {
		low, high := int64(math.MaxInt64), int64(math.MinInt64)
		for _, r := range list {
			if r.timed {
				low, high = min(low, r.at), max(high, r.at)
			}
		}
		if low < high {
			d.LongestGap = max(d.LongestGap, time.Duration(high-low))
		}
	}
	for scope, list := range moved {
		if len(list) > 1 {
			d.Groups = append(d.Groups, oracleGroup(scope, list, int64(len(rows[scope]))))
			d.DuplicateKeys++
			d.ExtraTransfers += int64(len(list) - 1)
		}
	}
	slices.SortFunc(d.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.ClientID, b.ClientID), cmp.Compare(a.Endpoint, b.Endpoint))
	})
	for _, g := range d.Groups {
		d.DoublePaid.AddAll(g.Paid)
	}
	return d
}

// countRequests gives the requests of each scoped key.
func (o *oracle) countRequests(d *Duplicates) map[Scope][]*oracleRequest {
	rows := map[Scope][]*oracleRequest{}
	for _, r := range o.requests {
		if r.unusable || !r.timed {
			d.BadRequests++
		}
		if r.timed {
			at := instant(r.at)
			if d.First.IsZero() || at.Before(d.First) {
				d.First = at
			}
			if at.After(d.Last) {
				d.Last = at
			}
		}
		switch {
		case r.badKey:
		case r.keyed:
			rows[r.scope()] = append(rows[r.scope()], r)
		default:
			d.KeylessRequests++
		}
	}
	return rows
}

// countTransfers gives the transfers of each scoped key.
func (o *oracle) countTransfers(d *Duplicates) map[Scope][]*oracleTransfer {
	moved := map[Scope][]*oracleTransfer{}
	for _, x := range o.transfers {
		if x.bad {
			d.BadTransfers++
			if x.hasAmount && x.currency != "" {
				d.BadTotal.Add(x.currency, x.amount)
			}
			continue
		}
		if x.amount < 0 {
			d.NegativeTransfers++
			d.NegativeTotal.Add(x.currency, x.amount)
		}
		d.Transfers++
		d.V1Total.Add(x.currency, x.amount)
		r := o.request(x)
		switch {
		case r == nil:
			d.UnmatchedCount++
			d.UnmatchedTotal.Add(x.currency, x.amount)
			continue
		case r.badKey:
			continue
		case r.keyed:
			moved[r.scope()] = append(moved[r.scope()], x)
		default:
			d.KeylessTransfers++
		}
		if x.badKey || x.key != r.key {
			d.KeyDiffersCount++
		}
	}
	return moved
}

func oracleGroup(scope Scope, list []*oracleTransfer, requests int64) Group {
	slices.SortStableFunc(list, func(a, b *oracleTransfer) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.seq, b.seq), cmp.Compare(a.id, b.id))
	})
	g := Group{Scope: scope, Requests: requests, Kept: list[0].id, Transfers: int64(len(list)),
		FirstAt: instant(list[0].created), LastAt: instant(list[len(list)-1].created), Gap: time.Duration(list[1].created - list[0].created)}
	for _, x := range list[1:] {
		g.Extra = append(g.Extra, x.id)
		g.Paid.Add(x.currency, x.amount)
	}
	return g
}

var bare = gocmp.Options{
	cmpopts.EquateEmpty(),
	gocmp.Comparer(func(a, b Money) bool { return slices.Equal(a.all(), b.all()) }),
	cmpopts.IgnoreFields(Duplicates{}, "Bad", "Unmatched", "KeyDiffers"),
}

func TestAgainstTheOracle(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprintf("%d.db", n))
		script := damagedDay(rt)
		run(t, path, "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF; BEGIN;"+script+"COMMIT")
		o := newOracle(rt, path)
		in, err := Open(context.Background(), path)
		if err != nil {
			rt.Fatalf("%v\n%s", err, script)
		}
		defer in.Close()
		if in.tables[requestTable].seq.unique {
			in.passRows = int64(rapid.IntRange(1, 20).Draw(rt, "rows of a pass"))
		}
		got, err := in.Duplicates(context.Background(), nil)
		if err != nil {
			rt.Fatalf("%v\n%s", err, script)
		}
		if diff := gocmp.Diff(o.answer(), got, bare); diff != "" {
			rt.Fatalf("oracle - duplicates +:\n%s\n%s", diff, script)
		}
		checkLists(rt, got)
		checkStream(rt, in, o)
		checkGroups(rt, in, got)
	})
}
