package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// made is a command that makes files of a folder "out", whole or not at all.
type made struct {
	*lab
	args  []string
	input map[string][]byte // what it reads, which must not change
	want  map[string][]byte // what it makes
}

func newReplay(l *lab) (*scenario, error) {
	if err := l.day(); err != nil {
		return nil, err
	}
	m := &made{lab: l, args: []string{"replay", "day.db", "--out", "out"}}
	return m.scenario("day.db")
}

func newImport(l *lab) (*scenario, error) {
	for name, text := range map[string]string{
		"r.csv": "request_id,time_utc,client,path,idempotency_key,body,status\n" + csvRequests,
		"t.csv": "transfer_id,request_id,src,dst,amount_minor,currency,created_at\n" + csvTransfers,
	} {
		if err := os.WriteFile(l.path(name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	m := &made{lab: l, args: []string{"import", "--requests", "r.csv", "--transfers", "t.csv", "--out", "out/made.db"}}
	return m.scenario("r.csv", "t.csv")
}

const (
	csvRequests = `q1,2026-03-02T09:00:00Z,shop,/t,k1,"{""src"":""A"",""dst"":""B"",""amount"":7,""currency"":""KRW""}",201
q2,2026-03-02T09:00:05Z,shop,/t,k1,"{""src"":""A"",""dst"":""B"",""amount"":7,""currency"":""KRW""}",201
`
	csvTransfers = `t1,q1,A,B,7,KRW,2026-03-02T09:00:01Z
t2,q2,A,B,7,KRW,2026-03-02T09:00:06Z
`
)

// day makes the lab's day.
func (l *lab) day() error {
	_, err := l.do("gen", "--out", "day.db", "--force")
	return err
}

func (m *made) scenario(inputs ...string) (*scenario, error) {
	m.input = map[string][]byte{}
	var err error
	for _, path := range inputs {
		if m.input[path], err = os.ReadFile(m.path(path)); err != nil {
			return nil, err
		}
	}
	if err := m.fresh(); err != nil {
		return nil, err
	}
	if _, err := m.do(m.args...); err != nil {
		return nil, err
	}
	m.want, err = m.files()
	return &scenario{fresh: m.fresh, run: m.run, judge: m.judge}, err
}

func (m *made) fresh() error {
	if err := os.RemoveAll(m.path("out")); err != nil {
		return err
	}
	return os.Mkdir(m.path("out"), 0o700)
}

func (m *made) run(f *fault) (*trace, error) { return m.traced(f, m.args...) }

// files are what is in the folder, with their content; folders have a / and none.
func (m *made) files() (map[string][]byte, error) {
	found := map[string][]byte{}
	err := filepath.WalkDir(m.path("out"), func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, m.path("out")+"/")
		switch {
		case err != nil || path == m.path("out"):
		case d.IsDir():
			found[name+"/"] = nil
		default:
			found[name], err = os.ReadFile(path)
		}
		return err
	})
	return found, err
}

// judge: each file is there whole or not at all, nothing else is left, and the
// command makes them all when the fault is gone, and removes what it could not.
func (m *made) judge(t *trace) error {
	if t.code != 0 {
		if err := t.fails(1, 3); err != nil {
			return err
		}
	}
	if err := m.whole(t); err != nil {
		return err
	}
	for name, before := range m.input {
		if now, err := os.ReadFile(m.path(name)); err != nil || !bytes.Equal(now, before) {
			return fmt.Errorf("%s was changed, %v", name, err)
		}
	}
	if err := m.unmake(); err != nil {
		return err
	}
	if _, err := m.do(m.args...); err != nil {
		return fmt.Errorf("when the fault is gone: %w", err)
	}
	return m.whole(&trace{})
}

// unmake removes what is in the folder but the private ones.
func (m *made) unmake() error {
	entries, err := os.ReadDir(m.path("out"))
	for _, e := range entries {
		if !private(e.Name()) {
			err = errors.Join(err, os.RemoveAll(m.path("out/"+e.Name())))
		}
	}
	return err
}

// private reports whether a folder is one in which the program makes what is
// unfinished.
func private(name string) bool {
	return strings.HasPrefix(name, ".idem-unfinished-") || strings.HasPrefix(name, "idem-private-")
}

// stays reports whether the fault may be why something is still there: it could
// not be removed, nor, if that is a folder, be opened and listed for it.
func (t *trace) stays(name string) bool {
	switch {
	case t.fault == nil:
		return false
	case t.fault.call == "openat" || t.fault.call == "getdents64":
		return private(name)
	}
	return t.fault.call == "unlink" || t.fault.call == "unlinkat"
}

func (m *made) whole(t *trace) error {
	found, err := m.files()
	if err != nil {
		return err
	}
	kept := 0
	for name, text := range found {
		want, known := m.want[name]
		switch {
		case !known && t.stays(name):
			continue
		case !known:
			return fmt.Errorf("%s is left behind", name)
		case !bytes.Equal(text, want):
			return fmt.Errorf("%s is not what it must be", name)
		}
		kept++
	}
	if t.code == 0 && kept < len(m.want) {
		return fmt.Errorf("it ended well with %d of %d files", kept, len(m.want))
	}
	return m.swept(t)
}

// swept: no private folder is left in the place for temporary files.
func (m *made) swept(t *trace) error {
	left, err := filepath.Glob(m.path("idem-*"))
	for _, path := range left {
		if !t.stays(filepath.Base(path)) {
			err = errors.Join(err, fmt.Errorf("%s is left behind", path), os.RemoveAll(path))
		}
	}
	return err
}
