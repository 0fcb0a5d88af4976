package main

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

const root = "/disk"

// shown is a disk on which a film was shown to its end.
func shown(t *testing.T, trace string, before map[string][]byte) *disk {
	t.Helper()
	calls, err := parse(strings.NewReader(strings.TrimLeft(trace, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	f := &film{root: root, before: before}
	if err := f.shoot(calls); err != nil {
		t.Fatal(err)
	}
	d := newDisk(root, before)
	d.show(f.events)
	return d
}

// outcomes are the contents that a file has after many power cuts; "-" is none.
func outcomes(d *disk, path string) map[string]bool {
	found := map[string]bool{}
	for seed := range uint64(300) {
		data, there := d.cut(rand.New(rand.NewPCG(seed, 0)))[path]
		if there {
			found[string(data)] = true
		} else {
			found["-"] = true
		}
	}
	return found
}

// TestWhatSurvives: what was synced is there after each power cut, and of the
// rest every possibility is met.
func TestWhatSurvives(t *testing.T) {
	const open = `7 openat(AT_FDCWD</disk>, "\x61", O_RDWR|O_CREAT, 0644) = 3</disk/a>` + "\n"
	cases := []struct {
		name, trace string
		want        []string
	}{
		{"a write", open + `
7 write(3</disk/a>, "\x41\x42", 2) = 2`, []string{"-", "", "AB"}},
		{"a write that is synced, and its name is not", open + `
7 write(3</disk/a>, "\x41\x42", 2) = 2
7 fsync(3</disk/a>) = 0`, []string{"-", "AB"}},
		{"a name that is synced, and its write is not", open + `
7 write(3</disk/a>, "\x41\x42", 2) = 2
7 fsync(4</disk>) = 0`, []string{"", "AB"}},
		{"both are synced", open + `
7 write(3</disk/a>, "\x41\x42", 2) = 2
7 fsync(3</disk/a>) = 0
7 fsync(4</disk>) = 0`, []string{"AB"}},
		{"a write that begins when the sync runs", open + `
7 fsync(4</disk>) = 0
7 fsync(3</disk/a> <unfinished ...>
8 write(3</disk/a>, "\x41\x42", 2) = 2
7 <... fsync resumed>) = 0`, []string{"", "AB"}},
		{"a new name for a synced file", open + `
7 write(3</disk/a>, "\x41", 1) = 1
7 fsync(3</disk/a>) = 0
7 fsync(4</disk>) = 0
7 renameat(AT_FDCWD</disk>, "\x61", AT_FDCWD</disk>, "\x62") = 0`, []string{"-", "A"}},
		{"an overwritten file that is cut off", open + `
7 pwrite64(3</disk/a>, "\x41\x42", 2, 0) = 2
7 fsync(3</disk/a>) = 0
7 fsync(4</disk>) = 0
7 pwrite64(3</disk/a>, "\x43", 1, 0) = 1
7 ftruncate(3</disk/a>, 1) = 0`, []string{"AB", "CB", "A", "C"}},
	}
	for _, c := range cases {
		trace := strings.ReplaceAll(strings.ReplaceAll(c.trace, "\n\n", "\n"), "/disk/a", hexed("/disk/a"))
		trace = strings.ReplaceAll(trace, "</disk>", "<"+hexed("/disk")+">")
		got := outcomes(shown(t, trace, nil), "/disk/a")
		for _, want := range c.want {
			if !got[want] {
				t.Errorf("%s: %q never comes out of it: %v", c.name, want, got)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %q", c.name, got, c.want)
		}
	}
}

// hexed writes a path as strace -xx does.
func hexed(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteString(`\x`)
		b.WriteByte("0123456789abcdef"[text[i]>>4])
		b.WriteByte("0123456789abcdef"[text[i]&15])
	}
	return b.String()
}

// TestTornSectors: a torn write leaves whole sectors, some of them old.
func TestTornSectors(t *testing.T) {
	d := newDisk(root, map[string][]byte{root + "/a": make([]byte, 8192)})
	d.write(root+"/a", 100, bytes.Repeat([]byte{1}, 8000), 1)
	mixed := 0
	for seed := range uint64(300) {
		data := d.cut(rand.New(rand.NewPCG(seed, 0)))[root+"/a"]
		ones := 0
		for at := 0; at < 8192; at += 512 {
			part := data[max(at, 100):min(at+512, 8100)]
			if n := bytes.Count(part, []byte{1}); n != 0 && n != len(part) {
				t.Fatalf("seed %d: the sector at %d is torn itself", seed, at)
			} else if n > 0 {
				ones++
			}
		}
		if ones > 0 && ones < 16 {
			mixed++
		}
	}
	if mixed < 50 {
		t.Errorf("only %d of 300 writes are torn", mixed)
	}
}

// TestUnknownCalls: a call that changes files and is not known ends the recording,
// rather than being left out of it.
func TestUnknownCalls(t *testing.T) {
	for _, trace := range []string{`7 fallocate(3<x>, 0, 0, 10) = 0`, `7 copy_file_range(3<x>, NULL, 4<y>, NULL, 9, 0) = 9`} {
		calls, err := parse(strings.NewReader(trace + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		f := &film{root: root}
		if err := f.shoot(calls); err == nil {
			t.Errorf("%s is passed over", trace)
		}
	}
	for _, trace := range []string{"7 <... write resumed>) = 3\n", "7 nonsense\n", "7 write(1, \"\"\n"} {
		if _, err := parse(strings.NewReader(trace)); err == nil {
			t.Errorf("%q is a trace", trace)
		}
	}
}
