package main

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
)

// disk is a file system as a power cut knows it: what was synced is there, and of
// the rest anything may be.
type disk struct {
	root string
	// names are the entries as programs see them, durable those that were synced
	// with their folder. Between them lie the entries' changes, by folder.
	names, durable map[string]*inode
	changes        map[string][]entry
	// syncs says whether the syncs of a file or folder count; nil for all. A disk
	// that lies, or a program that forgets, is one where some do not.
	syncs func(path string) bool
}

// inode is a file or a folder.
type inode struct {
	dir     bool
	synced  []byte
	pending []write
}

// write is data that was written and not synced; without data a file's new end.
type write struct {
	at, end int64
	data    []byte
	line    int // of the trace, where it ended
}

// entry is a change of a folder: names that go, and one that comes.
type entry struct {
	gone, come string
	node       *inode
	line       int
}

func newDisk(root string, files map[string][]byte) *disk {
	d := &disk{root: root, names: map[string]*inode{root: {dir: true}}, changes: map[string][]entry{}}
	for path, data := range files {
		d.names[path] = &inode{synced: bytes.Clone(data)} // a film is shown more than once
	}
	d.durable = maps.Clone(d.names)
	return d
}

// ours reports whether a path is on this disk. A -shm is not: SQLite keeps it in
// memory, and makes it anew after a crash.
func (d *disk) ours(path string) bool {
	return strings.HasPrefix(path, d.root+"/") && !strings.HasSuffix(path, "-shm") || path == d.root
}

func (d *disk) change(e entry) {
	delete(d.names, e.gone)
	dir := filepath.Dir(e.gone)
	if e.come != "" {
		d.names[e.come] = e.node
		dir = filepath.Dir(e.come)
	}
	d.changes[dir] = append(d.changes[dir], e)
}

// write puts data into a file. One that has no name any more is of no interest.
func (d *disk) write(path string, at int64, data []byte, line int) {
	if n := d.names[path]; n != nil {
		n.pending = append(n.pending, write{at: at, data: data, line: line})
	}
}

func (d *disk) truncate(path string, end int64, line int) {
	if n := d.names[path]; n != nil {
		n.pending = append(n.pending, write{end: end, line: line})
	}
}

// sync makes durable what had been done when the sync began.
func (d *disk) sync(path string, began int) {
	n := d.names[path]
	if n == nil || d.syncs != nil && !d.syncs(path) {
		return
	}
	if n.dir {
		d.syncFolder(path, began)
		return
	}
	var left []write
	for _, w := range n.pending {
		if w.line < began {
			n.synced = w.apply(n.synced)
		} else {
			left = append(left, w)
		}
	}
	n.pending = left
}

func (d *disk) syncFolder(path string, began int) {
	var left []entry
	for _, e := range d.changes[path] {
		if e.line < began {
			e.apply(d.durable)
		} else {
			left = append(left, e)
		}
	}
	d.changes[path] = left
}

func (e entry) apply(names map[string]*inode) {
	delete(names, e.gone)
	if e.come != "" {
		names[e.come] = e.node
	}
}

func (w write) apply(data []byte) []byte {
	if w.data == nil {
		if w.end <= int64(len(data)) {
			return data[:w.end:w.end]
		}
		return append(data, make([]byte, w.end-int64(len(data)))...)
	}
	if grown := w.at + int64(len(w.data)) - int64(len(data)); grown > 0 {
		data = append(data, make([]byte, grown)...)
	}
	copy(data[w.at:], w.data)
	return data
}

// content is a file as programs see it.
func (n *inode) content() []byte {
	data := bytes.Clone(n.synced)
	for _, w := range n.pending {
		data = w.apply(data)
	}
	return data
}

// survival says what of the unsynced is there after a power cut.
type survival uint8

const (
	nothing survival = iota
	everything
	whole     // each write or not
	torn      // each sector of each write or not
	inOrder   // the writes up to one of them, and some of its sectors
	survivals // how many there are
)

// cut is the files after a power cut, by path. It changes nothing on the disk.
func (d *disk) cut(r *rand.Rand) map[string][]byte {
	entries := d.survivingEntries(survival(r.IntN(int(survivals))), r)
	how, sector := survival(r.IntN(int(survivals))), int64(512)
	if r.IntN(2) == 0 {
		sector = 4096
	}
	files, data := map[string][]byte{}, map[*inode][]byte{}
	for _, path := range slices.Sorted(maps.Keys(entries)) { // a folder comes before what is in it
		n := entries[path]
		if path != d.root && !present(entries, filepath.Dir(path)) || n.dir {
			continue
		}
		if _, known := data[n]; !known { // a file may have two names
			data[n] = n.surviving(how, sector, r)
		}
		files[path] = data[n]
	}
	return files
}

// present reports whether a folder and those above it have their entries.
func present(entries map[string]*inode, dir string) bool {
	n := entries[dir]
	return n != nil && n.dir
}

func (d *disk) survivingEntries(how survival, r *rand.Rand) map[string]*inode {
	entries := maps.Clone(d.durable)
	for _, dir := range slices.Sorted(maps.Keys(d.changes)) {
		changes := d.changes[dir]
		until := r.IntN(len(changes) + 1)
		for i, e := range changes {
			switch {
			case how == nothing, how == inOrder && i >= until, (how == whole || how == torn) && r.IntN(2) == 0:
			default:
				e.apply(entries)
			}
		}
	}
	return entries
}

func (n *inode) surviving(how survival, sector int64, r *rand.Rand) []byte {
	data := bytes.Clone(n.synced)
	until := r.IntN(len(n.pending) + 1)
	for i, w := range n.pending {
		switch {
		case how == nothing, how == inOrder && i > until, (how == whole || w.data == nil) && how != everything && r.IntN(2) == 0:
		case how == torn || how == inOrder && i == until:
			data = w.tear(data, sector, r)
		default:
			data = w.apply(data)
		}
	}
	return data
}

// tear applies some of the sectors that a write touches.
func (w write) tear(data []byte, sector int64, r *rand.Rand) []byte {
	if w.data == nil {
		return data
	}
	for at := w.at; at < w.at+int64(len(w.data)); {
		end := min((at/sector+1)*sector, w.at+int64(len(w.data)))
		if r.IntN(2) == 0 {
			data = write{at: at, data: w.data[at-w.at : end-w.at]}.apply(data)
		}
		at = end
	}
	return data
}

// clean reports whether everything is synced.
func (d *disk) clean() bool {
	for _, changes := range d.changes {
		if len(changes) > 0 {
			return false
		}
	}
	for _, n := range d.names {
		if len(n.pending) > 0 {
			return false
		}
	}
	return true
}
