package findings

import (
	"cmp"
	"slices"
)

// byLog finds what the log shows although no money moved twice: keys that live
// in several scopes, and stored errors.
func (f *finder) byLog() {
	sameKey := func(a, b int32) bool {
		return f.requests[a].key == f.requests[b].key && f.requests[a].key != 0
	}
	var reused, collided [][]int32
	runs(f.sends, sameKey, func(run []int32) {
		if first := f.requests[run[0]]; first.key == 0 || first.is(ownKey) || f.accused[first.key] {
			return
		}
		clients := 0
		runs(run, func(a, b int32) bool { return f.requests[a].client == f.requests[b].client }, func(mine []int32) {
			clients++
			if f.requests[mine[0]].endpoint != f.requests[mine[len(mine)-1]].endpoint {
				reused = append(reused, mine)
			}
		})
		if clients > 1 {
			collided = append(collided, run)
		}
	})
	f.tellQuiet(quietReused, KeyReusedAcrossEndpoints, reused)
	f.tellQuiet(quietCollision, KeyCollisionAcrossClients, collided)
	f.storedErrors()
}

// tellQuiet lists the earliest of what was found among keys, whose order is that
// of their hashes.
func (f *finder) tellQuiet(kind int, class Class, found [][]int32) {
	earliest := func(run []int32) int32 { return slices.MinFunc(run, f.sentBefore) }
	slices.SortFunc(found, func(a, b []int32) int { return f.sentBefore(earliest(a), earliest(b)) })
	for _, run := range found {
		f.quiet[kind].add(1, func() *draft { return f.quietDraft(class, run) })
	}
}

func (f *finder) quietDraft(class Class, sends []int32) *draft {
	list := slices.Clone(sends)
	slices.SortFunc(list, f.sentBefore)
	return &draft{class: class, confidence: Probable, kept: -1, sends: list[:min(len(list), mostShown)]}
}

// storedErrors finds keys of which every send was answered with the same kind of
// error and moved nothing, and the new key that paid instead.
func (f *finder) storedErrors() {
	var failed []int32
	for i := range f.requests {
		if r := &f.requests[i]; r.moved == 0 && r.status >= 500 && r.key != 0 && r.body != 0 {
			failed = append(failed, int32(i))
		}
	}
	slices.SortFunc(failed, func(a, b int32) int {
		x, y := &f.requests[a], &f.requests[b]
		return cmp.Or(cmp.Compare(x.body, y.body), cmp.Compare(x.key, y.key), cmp.Compare(x.client, y.client), cmp.Compare(x.endpoint, y.endpoint), f.sentBefore(a, b))
	})
	type asked struct {
		body             uint64
		client, endpoint uint32
	}
	of := func(r *request) asked { return asked{r.body, r.client, r.endpoint} }
	wanted := map[asked][]int32{} // the earliest key that failed twice
	oneKey := func(a, b int32) bool { return f.requests[a].body == f.requests[b].body && f.sameScope(a, b) }
	runs(failed, oneKey, func(run []int32) {
		k := of(&f.requests[run[0]])
		if known := wanted[k]; len(run) > 1 && (known == nil || f.sentBefore(run[0], known[0]) < 0) {
			wanted[k] = run
		}
	})
	if len(wanted) == 0 {
		return
	}
	for i := range f.requests {
		paid := &f.requests[i]
		run := wanted[of(paid)]
		if paid.moved != 1 || run == nil {
			continue
		}
		if last := &f.requests[run[len(run)-1]]; paid.key == last.key || paid.at < last.at {
			continue
		}
		delete(wanted, of(paid))
		f.quiet[quietError].add(1, func() *draft {
			return f.quietDraft(ReplayedErrorThenNewKey, append(slices.Clone(run[:min(len(run), mostShown-1)]), int32(i)))
		})
	}
}
