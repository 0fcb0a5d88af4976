package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// again makes scenes of what comes after a power cut: a disk that one left is
// used for some more payments, and its power is cut in the middle of them, or
// while SQLite still recovers.
func (r *rig) again(s scene, random *rand.Rand, n int) (scenes []scene, err error) {
	for i := range n {
		d := newDisk(s.film.root, s.film.before)
		told := d.show(s.film.events[:random.IntN(len(s.film.events)+1)])
		root, err := r.folder(fmt.Sprint("again", i))
		if err != nil {
			return nil, err
		}
		if err := lay(root, s.film.root, d.cut(random)); err != nil {
			return nil, err
		}
		var lines []string
		for k := range 3 {
			line, err := r.request(1000+k, time.Date(2026, 2, 1, k, 0, 0, 0, time.UTC))
			if err != nil {
				return nil, err
			}
			lines = append(lines, line)
		}
		film, err := r.record(root, nil, shell(r.idem, lines...)...)
		if err != nil {
			return nil, fmt.Errorf("after a power cut: %w", err)
		}
		scenes = append(scenes, scene{s.name + " after a power cut", film, func(dir string, later [][]byte) error {
			return payments(dir, append(told[:len(told):len(told)], later...))
		}})
	}
	return scenes, nil
}
