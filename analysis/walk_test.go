package analysis

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// walkTables are the same rows as a table with row ids, without them, with ids
// far apart, and as views.
var walkTables = map[string]string{
	"row ids":     `CREATE TABLE req_log (%s, reference TEXT); INSERT INTO req_log SELECT * FROM rows`,
	"no row ids":  `CREATE TABLE req_log (%s, reference TEXT, PRIMARY KEY (seq)) WITHOUT ROWID; INSERT INTO req_log SELECT * FROM rows`,
	"ids apart":   `CREATE TABLE req_log (%s, reference TEXT, id INTEGER PRIMARY KEY); INSERT INTO req_log SELECT *, (seq - 250) * 36000000000000000 FROM rows`,
	"a view":      `CREATE VIEW req_log AS SELECT * FROM rows`,
	"ids in text": `CREATE TABLE req_log (%s, "reference" TEXT); INSERT INTO req_log SELECT CAST(seq AS TEXT), received_at, client_id, endpoint, idem_key, body, reference FROM rows`,
}

const walkColumns = `seq, received_at TEXT, client_id TEXT, endpoint TEXT, idem_key TEXT, body TEXT`

// Every row is met once by a walk, and found again at its place, alone or among
// others, in whatever kind of table it lies.
func TestWalkAndReadAgain(t *testing.T) {
	for name, ddl := range walkTables {
		t.Run(name, func(t *testing.T) {
			in := open(t, walked(t, ddl))
			var mu sync.Mutex
			at := map[int64]int64{} // place by seq
			var sum int64
			err := in.WalkRequests(t.Context(), Walk[RequestRow]{
				Extra:    []string{"reference", "missing"},
				Progress: func(rows int64) { mu.Lock(); sum += rows; mu.Unlock() },
				Part: func(int) func(*RequestRow) {
					return func(r *RequestRow) {
						mu.Lock()
						defer mu.Unlock()
						if string(r.Extra[0]) != fmt.Sprint("ref", r.Seq) || r.Extra[1] != nil || !r.HasSeq || !r.Timed {
							t.Errorf("row %d has %q", r.Seq, r.Extra)
						}
						at[r.Seq] = r.Place
					}
				},
			})
			if err != nil || len(at) != 500 || sum != 500 {
				t.Fatalf("%d rows met, %d told, %v", len(at), sum, err)
			}
			for _, wanted := range [][]int64{{7}, {7, 8, 9, 10, 11, 12}, {1, 100, 101, 499, 500}, everySeq(500)} {
				readAgain(t, in, at, wanted)
			}
		})
	}
}

func everySeq(n int64) []int64 {
	var list []int64
	for seq := int64(1); seq <= n; seq++ {
		list = append(list, seq)
	}
	return list
}

// readAgain reads rows at their places, one of them twice.
func readAgain(t *testing.T, in *Incident, at map[int64]int64, seqs []int64) {
	t.Helper()
	type wanted struct{ place, seq int64 }
	list := []wanted{{at[seqs[0]], seqs[0]}}
	for _, seq := range seqs {
		list = append(list, wanted{at[seq], seq})
	}
	slices.SortFunc(list, func(a, b wanted) int {
		if a.place < b.place {
			return -1
		} else if a.place > b.place {
			return 1
		}
		return 0
	})
	places := make([]int64, len(list))
	for i := range list {
		places[i] = list[i].place
	}
	var mu sync.Mutex
	met := 0
	err := in.RequestsAt(t.Context(), places, []string{"reference"}, func(i int, r *RequestRow) {
		mu.Lock()
		defer mu.Unlock()
		met++
		if r.Seq != list[i].seq || string(r.Extra[0]) != fmt.Sprint("ref", r.Seq) {
			t.Errorf("place %d has request %d, want %d", i, r.Seq, list[i].seq)
		}
	})
	if err != nil || met != len(list) {
		t.Errorf("%d of %d rows read again, %v", met, len(list), err)
	}
}

func walked(t *testing.T, ddl string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "walk.db")
	if fmt.Sprintf("%.11s", ddl) != "CREATE VIEW" {
		ddl = fmt.Sprintf(ddl, walkColumns)
	}
	run(t, path, `CREATE TABLE account (acct_id, holder, balance);
	CREATE TABLE transfer_v1 (transfer_id, seq, idem_key, src, dst, amount, currency, created_at);
	CREATE TABLE rows (`+walkColumns+`, reference TEXT);
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 500)
	INSERT INTO rows SELECT i, '2026-03-10T09:00:00Z', 'c', '/e', 'k' || i, '{}', 'ref' || i FROM n;`+ddl)
	return path
}
