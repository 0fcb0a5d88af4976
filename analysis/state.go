package analysis

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// state is what the file system says about a database and its siblings.
type state struct{ main, wal, journal stat }

type stat struct {
	exists bool
	size   int64
	mtime  time.Time
	info   os.FileInfo
}

func statOf(info os.FileInfo) stat { return stat{true, info.Size(), info.ModTime(), info} }

func (s stat) same(o stat) bool {
	if s.exists != o.exists || !s.exists {
		return s.exists == o.exists
	}
	return s.size == o.size && s.mtime.Equal(o.mtime) && os.SameFile(s.info, o.info)
}

func (s state) same(o state) bool {
	return s.main.same(o.main) && s.wal.same(o.wal) && s.journal.same(o.journal)
}

func look(path string) (state, error) {
	var s state
	for _, f := range []struct {
		stat *stat
		name string
	}{{&s.main, path}, {&s.wal, path + "-wal"}, {&s.journal, path + "-journal"}} {
		info, err := os.Stat(f.name)
		switch {
		case err == nil:
			*f.stat = statOf(info)
		case !errors.Is(err, fs.ErrNotExist):
			return s, err
		}
	}
	return s, nil
}

// Changed reports whether what the path leads to now, its write-ahead log or its
// journal is not what it was when the incident was opened. That can be read on
// all the same, unless it was written to.
func (f *File) Changed() bool {
	now, err := look(f.resolved)
	return err != nil || !f.state.same(now)
}
