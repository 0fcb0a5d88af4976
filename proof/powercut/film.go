package main

import (
	"fmt"
	"slices"
	"strings"
)

// event is something that happens to a disk, or is told to somebody, at a line of
// the trace.
type event struct {
	line int
	do   func(*disk)
	told []byte // what was written where somebody reads
}

// film is a recording: what was on the disk, and all that happened to it.
type film struct {
	root   string
	before map[string][]byte
	events []event
}

// show has some events happen to a disk and gives what was told meanwhile.
func (d *disk) show(events []event) (told [][]byte) {
	for _, e := range events {
		if e.do != nil {
			e.do(d)
		} else {
			told = append(told, e.told)
		}
	}
	return told
}

// positions are those of open descriptors. Descriptors of different processes
// are kept apart by their files.
type positions map[string]int64

// shoot makes the film of calls.
func (f *film) shoot(calls []*call) error {
	at, shadow := positions{}, newDisk(f.root, f.before)
	for _, c := range calls {
		list, err := f.of(c, at, shadow)
		if err != nil {
			return fmt.Errorf("line %d, %s: %w", c.begin+1, c.name, err)
		}
		for _, e := range list {
			if e.do != nil {
				e.do(shadow)
			}
		}
		f.events = append(f.events, list...)
	}
	slices.SortStableFunc(f.events, func(a, b event) int { return a.line - b.line })
	return nil
}

// of is what one call does. shadow is the disk until then.
func (f *film) of(c *call, at positions, shadow *disk) ([]event, error) {
	switch c.name {
	case "open", "creat":
		path, err := c.path(f.root, 0)
		return f.opened(c, path, c.flags(1), at, shadow), err
	case "openat":
		path, err := c.path(of(c.args[0]), 1)
		return f.opened(c, path, c.flags(2), at, shadow), err
	case "lseek":
		at[c.args[0]] = c.result()
	case "read":
		at[c.args[0]] += c.result()
	case "write":
		return f.written(c, at)
	case "pwrite64":
		return f.placed(c)
	case "ftruncate":
		return f.onFile(c, of(c.args[0]), func(d *disk, path string) { d.truncate(path, c.number(1), c.end) }), nil
	case "fsync", "fdatasync":
		return f.onFile(c, of(c.args[0]), func(d *disk, path string) { d.sync(path, c.begin) }), nil
	case "close", "dup", "dup2", "dup3":
	default:
		return f.renamed(c)
	}
	return nil, nil
}

func (c *call) flags(i int) string {
	if i < len(c.args) {
		return c.args[i]
	}
	return "O_CREAT|O_TRUNC" // creat has none
}

// opened notes a file that open made or emptied.
func (f *film) opened(c *call, path, flags string, at positions, shadow *disk) []event {
	at[c.ret] = 0
	if !shadow.ours(path) || strings.Contains(flags, "O_DIRECTORY") {
		return nil
	}
	if strings.Contains(flags, "O_CREAT") && shadow.names[path] == nil {
		return []event{{line: c.begin, do: func(d *disk) { d.change(entry{come: path, node: &inode{}, line: c.end}) }}}
	}
	if strings.Contains(flags, "O_TRUNC") {
		return []event{{line: c.begin, do: func(d *disk) { d.truncate(path, 0, c.end) }}}
	}
	return nil
}

// written is a write at the descriptor's position, or to somebody who reads.
func (f *film) written(c *call, at positions) ([]event, error) {
	data, err := c.bytes(1)
	if err != nil {
		return nil, err
	}
	path := of(c.args[0])
	if !strings.HasPrefix(path, "/") || c.number(0) <= 2 {
		return []event{{line: c.begin, told: data}}, nil
	}
	pos := at[c.args[0]]
	at[c.args[0]] += c.result()
	return f.onFile(c, path, func(d *disk, path string) { d.write(path, pos, data[:c.result()], c.end) }), nil
}

func (f *film) placed(c *call) ([]event, error) {
	data, err := c.bytes(1)
	if err != nil {
		return nil, err
	}
	return f.onFile(c, of(c.args[0]), func(d *disk, path string) { d.write(path, c.number(3), data[:c.result()], c.end) }), nil
}

// onFile is an event of a file on the disk. A sync happens when it ends, all else
// may have happened when it begins.
func (f *film) onFile(c *call, path string, do func(*disk, string)) []event {
	line := c.begin
	if strings.HasSuffix(c.name, "sync") {
		line = c.end
	}
	return []event{{line: line, do: func(d *disk) {
		if d.ours(path) {
			do(d, path)
		}
	}}}
}

// renamed is a call that changes folders.
func (f *film) renamed(c *call) ([]event, error) {
	from, to, err := f.names(c)
	if err != nil {
		return nil, err
	}
	return []event{{line: c.begin, do: func(d *disk) {
		switch {
		case !d.ours(from) && !d.ours(to):
		case strings.HasPrefix(c.name, "unlink"):
			d.change(entry{gone: from, line: c.end})
		case strings.HasPrefix(c.name, "rename"):
			d.change(entry{gone: from, come: to, node: d.names[from], line: c.end})
		case strings.HasPrefix(c.name, "link"):
			d.change(entry{come: to, node: d.names[from], line: c.end})
		case strings.HasPrefix(c.name, "mkdir"):
			d.change(entry{come: from, node: &inode{dir: true}, line: c.end})
		}
	}}}, nil
}

// names are the paths that a call is about.
func (f *film) names(c *call) (from, to string, err error) {
	switch c.name {
	case "unlink", "mkdir", "rmdir":
		from, err = c.path(f.root, 0)
	case "unlinkat", "mkdirat":
		from, err = c.path(of(c.args[0]), 1)
	case "rename", "link":
		if from, err = c.path(f.root, 0); err == nil {
			to, err = c.path(f.root, 1)
		}
	case "renameat", "renameat2", "linkat":
		if from, err = c.path(of(c.args[0]), 1); err == nil {
			to, err = c.path(of(c.args[2]), 3)
		}
	default:
		err = fmt.Errorf("a recording does not know this call: teach it")
	}
	return from, to, err
}
