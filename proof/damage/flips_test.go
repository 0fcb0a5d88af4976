package damage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"

	"idem/analysis"
	"idem/engine"
	"idem/engine/sqlitestore"
)

// verdicts count what became of flips.
type verdicts struct{ told, same, silent int }

func (v verdicts) String() string {
	return fmt.Sprintf("%d told, %d without effect, %d silent", v.told, v.same, v.silent)
}

// flip flips bits of a file, one at a time, and has each judged: told, or the
// answer, to be compared with that of the file as it was. A panic fails the test.
func flip(t *testing.T, good []byte, judge func(path string) (answer string, told bool)) (v verdicts) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "whole.db")
	must(t, os.WriteFile(path, good, 0o600))
	want, told := judge(path)
	if told {
		t.Fatal("the file as it is does not hold")
	}
	random := rand.New(rand.NewPCG(5, 5))
	for i := range flips(t) {
		path := filepath.Join(dir, fmt.Sprint("flip", i, ".db"))
		text := append([]byte{}, good...)
		bit := random.IntN(8 * len(text))
		text[bit/8] ^= 1 << (bit % 8)
		must(t, os.WriteFile(path, text, 0o600))
		switch answer, told := judge(path); {
		case told:
			v.told++
		case answer == want:
			v.same++
		default:
			if v.silent++; v.silent <= 5 {
				t.Logf("bit %d of byte %d is silent", bit%8, bit/8)
			}
		}
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			_ = os.Remove(path + suffix) // most are not there
		}
	}
	return v
}

// TestFlipsOfLedgers: what an audit lets pass is the money that was there.
func TestFlipsOfLedgers(t *testing.T) {
	for name, good := range map[string][]byte{"an API's database": bank(t), "a day.db": day(t)} {
		path := filepath.Join(t.TempDir(), "good.db")
		must(t, os.WriteFile(path, good, 0o600))
		kept, told := audit(path, nil)
		if told {
			t.Fatalf("%s does not hold", name)
		}
		v := flip(t, good, func(path string) (string, bool) {
			head, told := audit(path, kept)
			if told {
				return "", true
			}
			return fmt.Sprint(*head, money(path)), false
		})
		t.Logf("damage: %d flips of %s: %s", flips(t), name, v)
		if v.silent > 0 || v.told == 0 {
			t.Errorf("%s: %d flips changed money, and the audit holds", name, v.silent)
		}
	}
}

// TestFlipsUnderTheStore: the store answers every key as before, or fails. Where
// it answers something else, the audit of the file tells, or the answer itself: a
// reply in which a bit was flipped so that it does not read as one any more is
// sent as it is kept.
func TestFlipsUnderTheStore(t *testing.T) {
	good, broken := bank(t), 0
	path := filepath.Join(t.TempDir(), "good.db")
	must(t, os.WriteFile(path, good, 0o600))
	kept, _ := audit(path, nil)
	v := flip(t, good, func(path string) (answers string, told bool) {
		_, told = audit(path, kept)
		s, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{})
		if err != nil {
			return "", true
		}
		defer s.Close()
		for i := range payments {
			reply, err := pay(s, "k", i)
			if err != nil {
				return "", true
			}
			if !told && !reads(reply.Body) {
				broken++
				told = true
			}
			answers += fmt.Sprintf("%d %s\n", reply.Status, reply.Body)
		}
		return answers, told
	})
	v.told -= broken
	t.Logf("damage: %d flips under a store: %s, %d replies that read as none", flips(t), v, broken)
	if v.silent > 0 {
		t.Errorf("%d flips changed an answer, and nobody told", v.silent)
	}
}

// reads reports whether a body reads as the reply to a transfer: its members by
// their names to the letter, as a client in another language may do.
func reads(body []byte) bool {
	var reply struct {
		ID        string `json:"transfer_id"`
		CreatedAt string `json:"created_at"`
	}
	_, refused, err := engine.ParseOrder(body)
	return err == nil && refused == nil && json.Unmarshal(body, &reply) == nil && reply.ID != "" && reply.CreatedAt != ""
}

// TestFlipsOfIncidents: no panic, and an error or an answer. One that differs has
// no seal to be told by.
func TestFlipsOfIncidents(t *testing.T) {
	ctx := context.Background()
	v := flip(t, incident(t), func(path string) (string, bool) {
		in, err := analysis.Open(ctx, path)
		if err != nil {
			return "", true
		}
		defer in.Close()
		dup, err := in.Duplicates(ctx, nil)
		if err != nil {
			return "", true
		}
		return fmt.Sprintf("%+v", *dup), false
	})
	t.Logf("damage: %d flips of an incident: %s", flips(t), v)
	if v.told == 0 || v.same == 0 {
		t.Error("no flip was told, or none was without effect")
	}
}
