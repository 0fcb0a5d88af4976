package damage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"idem/analysis"
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

// TestFlipsUnderTheStore: the store answers every key with the reply that was
// kept, or fails; no flip makes it send another one. A key whose entry in the
// index of keys is damaged is new to the store: of that the audit tells.
func TestFlipsUnderTheStore(t *testing.T) {
	good := bank(t)
	path := filepath.Join(t.TempDir(), "good.db")
	must(t, os.WriteFile(path, good, 0o600))
	kept, _ := audit(path, nil)
	want, err := answers(path)
	must(t, err)
	altered, again := 0, 0
	v := flip(t, good, func(path string) (string, bool) {
		_, told := audit(path, kept)
		got, err := answers(path)
		for i := range got {
			switch got[i] {
			case want[i], unanswered:
			case strings.Replace(want[i], fmt.Sprintf(`"Tk%d"`, i), fmt.Sprintf(`"Tk%dagain"`, i), 1):
				again++
			default:
				altered++
			}
		}
		return strings.Join(got, "\n"), told || err != nil
	})
	t.Logf("damage: %d flips under a store: %s, %d altered replies; %d keys were new to it, of which the audit told", flips(t), v, altered, again)
	if v.silent > 0 || altered > 0 {
		t.Errorf("%d flips changed an answer and nobody told, %d replies were altered", v.silent, altered)
	}
}

// unanswered is a claim that got no reply: it was lost, or is in progress.
const unanswered = `0 "" [] `

// answers is what a store answers for each key of a bank, up to its first error.
func answers(path string) (text []string, err error) {
	s, err := sqlitestore.Open(context.Background(), path, sqlitestore.Options{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for i := range payments {
		reply, err := pay(s, "k", i, "again")
		if err != nil {
			return text, err
		}
		text = append(text, fmt.Sprintf("%d %q %q %s", reply.Status, reply.Reason, reply.Header, reply.Body))
	}
	return text, nil
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
