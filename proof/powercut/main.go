// Command powercut cuts the power of the program under test, without a switch: it
// records every change that idem makes to its files, with strace, and then builds
// the disks that a power cut could have left at any moment of it. What was synced
// is there. Of the rest anything may be: nothing, all, some of the writes, some
// of their sectors of 512 or 4096 bytes; and so it is with the entries of folders
// (new names, removals, renames), which are synced with their folder only.
//
//	go run ./proof/powercut -idem ./bin/idem [-seed N] [-cuts N] [-payments N]
//
// Each disk is judged by what clients had been told until then: a database can be
// used, idem verify finds nothing, and each acknowledged payment is there; a
// report, a day or an import is whole or is what it was before. Some of the disks
// are used again, and their power is cut once more, in the middle of the recovery.
//
// It must be able to fail: the same is done with disks that do not sync the
// write-ahead log, as with synchronous=NORMAL, with such that sync no folder, and
// with such that sync nothing; some of those must have lost what was promised.
//
// It prints one line that sums up. The exit code is 1 when something was lost, or
// when a lying disk was not noticed.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	idem := flag.String("idem", "", "the program under test, a static binary")
	seed := flag.Uint64("seed", 1, "of the moments and of what survives")
	cuts := flag.Int("cuts", 600, "power cuts in all")
	n := flag.Int("payments", 30, "payments to record, of each kind")
	samples := flag.String("samples", "analysis/ingest/testdata/csv", "folder with a log and a ledger to import")
	flag.Parse()
	if *idem == "" {
		fmt.Fprintln(os.Stderr, "powercut: -idem is missing: name the program under test")
		os.Exit(2)
	}
	if err := run(*idem, *samples, *seed, *cuts, *n); err != nil {
		fmt.Fprintf(os.Stderr, "powercut: seed %d: %v\n", *seed, err)
		os.Exit(1)
	}
}

// scene is a film and the judge of the disks that a power cut leaves of it.
type scene struct {
	name  string
	film  *film
	judge func(dir string, told [][]byte) error
}

func run(idem, samples string, seed uint64, cuts, n int) error {
	dir, err := os.MkdirTemp(memory(), "idem-powercut-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r := &rig{dir: dir}
	if r.idem, err = filepath.Abs(idem); err != nil {
		return err
	}
	if samples, err = filepath.Abs(samples); err != nil {
		return err
	}
	scenes, err := r.scenes(samples, n)
	if err != nil {
		return err
	}
	again, err := r.again(scenes[0], rand.New(rand.NewPCG(seed, 98)), 4)
	if err != nil {
		return err
	}
	all := append(scenes, again...)
	var total tally
	for i, s := range all {
		t, err := r.cutAll(s, nil, rand.New(rand.NewPCG(seed, uint64(i))), cuts/len(all))
		if total.add(t); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	lies, err := r.lies(scenes, seed)
	if err != nil {
		return err
	}
	fmt.Printf("powercut: seed %d, %d power cuts, %d with unsynced data at stake, %d of them lost some of it, %d acknowledgements checked, nothing lost; %s\n",
		seed, total.cuts, total.stake, total.losing, total.told, lies)
	if total.stake == 0 || total.losing == 0 || total.told == 0 {
		return fmt.Errorf("no cut fell where it is dangerous")
	}
	return nil
}

// memory is a folder in memory where there is one.
func memory() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}

func (r *rig) scenes(samples string, n int) ([]scene, error) {
	calls, err := r.calls(n)
	if err != nil {
		return nil, fmt.Errorf("record idem api: %w", err)
	}
	served, err := r.served(4 * n)
	if err != nil {
		return nil, fmt.Errorf("record idem serve: %w", err)
	}
	files, err := r.files(samples)
	if err != nil {
		return nil, fmt.Errorf("record commands that make files: %w", err)
	}
	return []scene{
		{"idem api", calls, payments},
		{"idem serve", served, payments},
		{"files", files, versionsOf(files).judge},
	}, nil
}

// tally is what happened in some cuts.
type tally struct{ cuts, stake, losing, told int }

func (t *tally) add(o tally) {
	t.cuts, t.stake, t.losing, t.told = t.cuts+o.cuts, t.stake+o.stake, t.losing+o.losing, t.told+o.told
}

// cutAll cuts a scene n times, at moments in their order, and ends at the first
// that lost something. syncs tells which syncs the disk obeys.
func (r *rig) cutAll(s scene, syncs func(string) bool, random *rand.Rand, n int) (t tally, err error) {
	moments := make([]int, n)
	for i := range moments {
		moments[i] = random.IntN(len(s.film.events) + 1)
	}
	slices.Sort(moments)
	d := newDisk(s.film.root, s.film.before)
	d.syncs = syncs
	shown := 0
	var told [][]byte
	for i, moment := range moments {
		told = append(told, d.show(s.film.events[shown:moment])...)
		shown = moment
		files := d.cut(random)
		t.note(d, files, told)
		if err := r.left(s, files, told); err != nil {
			return t, fmt.Errorf("cut %d, after event %d of %d: %w%s", i, moment, len(s.film.events), err, kept(syncs == nil, s.film.root, files))
		}
	}
	return t, nil
}

func (t *tally) note(d *disk, files map[string][]byte, told [][]byte) {
	t.cuts++
	t.told += len(acknowledged(told)) + done(told)
	if d.clean() {
		return
	}
	t.stake++
	for path, n := range d.names {
		if data, there := files[path]; !n.dir && (!there || string(data) != string(n.content())) {
			t.losing++
			return
		}
	}
}

// left writes the files that a cut left and judges them.
func (r *rig) left(s scene, files map[string][]byte, told [][]byte) error {
	dir, err := os.MkdirTemp(r.dir, "left-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := lay(dir, s.film.root, files); err != nil {
		return err
	}
	return s.judge(dir, told)
}

func lay(dir, root string, files map[string][]byte) error {
	for path, data := range files {
		to := filepath.Join(dir, strings.TrimPrefix(path, root))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(to, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// kept leaves what a cut left for whoever has to find out, and says where.
func kept(keep bool, root string, files map[string][]byte) string {
	if !keep {
		return ""
	}
	dir, err := os.MkdirTemp("", "idem-powercut-left-")
	if err == nil {
		err = lay(dir, root, files)
	}
	if err != nil {
		return fmt.Sprintf("; what is left could not be kept: %v", err)
	}
	return "; what is left is in " + dir
}

// liars are disks, or programs, that do not sync what they should, with the scenes
// in which that must be noticed.
var liars = []struct {
	name   string
	syncs  func(path string) bool
	scenes []int
}{
	{"the log is not synced", func(path string) bool { return !strings.HasSuffix(path, "-wal") }, []int{0, 1}},
	{"no folder is synced", func(path string) bool { return filepath.Ext(path) != "" }, []int{0, 1, 2}},
	{"nothing is synced", func(string) bool { return false }, []int{0, 1, 2}},
}

// lies: each lying disk is noticed, or this command proves nothing.
func (r *rig) lies(scenes []scene, seed uint64) (string, error) {
	noticed := 0
	for _, l := range liars {
		for _, i := range l.scenes {
			_, err := r.cutAll(scenes[i], l.syncs, rand.New(rand.NewPCG(seed, 99)), 200)
			if err == nil {
				return "", fmt.Errorf("%s, and 200 cuts of %s do not notice it: this command proves nothing", l.name, scenes[i].name)
			}
			noticed++
		}
	}
	return fmt.Sprintf("%d lying disks noticed", noticed), nil
}
