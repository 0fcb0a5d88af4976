package main

import (
	"encoding/binary"
	"strings"
	"testing"
)

// paidFor is a state in which k1 is paid and k2 is in progress.
func paidFor() state {
	return state{transfers: 1, tied: 1, paid: amount, left: 100 - amount, rows: map[string]row{
		"k1": {completed: true, fence: 1, status: 201, body: `{"transfer_id":"T1"}`, transfer: "T1", movable: "AB7"},
		"k2": {fence: 2, lease: 9},
	}}
}

func TestWhatCannotFollow(t *testing.T) {
	pay := func(s *state, k string) {
		s.rows[k] = row{completed: true, fence: 3, status: 201, body: `{"transfer_id":"T2"}`, transfer: "T2", movable: "AB7"}
		s.transfers, s.tied, s.paid, s.left = s.transfers+1, s.tied+1, s.paid+amount, s.left-amount
	}
	tests := []struct {
		name, want string
		change     func(*state)
	}{
		{"nothing", "", func(*state) {}},
		{"k2 is paid", "", func(s *state) { pay(s, "k2") }},
		{"a new key is paid", "", func(s *state) { pay(s, "k3") }},
		{"a key that nobody sent", "nobody sent it", func(s *state) { pay(s, "k4") }},
		{"a key is gone", "is gone", func(s *state) { delete(s.rows, "k2") }},
		{"all is gone", "is gone", func(s *state) { *s = state{left: 100, rows: map[string]row{}} }},
		{"paid twice", "2 transfers", func(s *state) { s.transfers++; s.paid += amount; s.left -= amount }},
		{"paid and no transfer of a key", "belong to a key", func(s *state) { s.tied-- }},
		{"money made", "of 100", func(s *state) { s.left++ }},
		{"another answer", "k1: it was", func(s *state) { w := s.rows["k1"]; w.body = "T1 "; s.rows["k1"] = w }},
		{"completed without a transfer", "without its transfer", func(s *state) { pay(s, "k2"); w := s.rows["k2"]; w.transfer = ""; s.rows["k2"] = w }},
		{"in progress with a transfer", "has paid", func(s *state) { s.rows["k2"] = row{fence: 3, transfer: "T2"} }},
		{"an older token", "k2: it was", func(s *state) { s.rows["k2"] = row{fence: 1} }},
	}
	told := map[string]string{"k2": `{"transfer_id":"T2"}`}
	before, after := paidFor(), paidFor()
	if err := after.follows(&before, nil, told); err == nil || !strings.Contains(err.Error(), "k2 was answered") {
		t.Errorf("an acknowledged payment is missing: %v", err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before, after := paidFor(), paidFor()
			test.change(&after)
			sent := map[string]bool{"k1": true, "k2": true, "k3": true}
			err := after.follows(&before, sent, map[string]string{"k1": `{"transfer_id":"T1"}`})
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// logOf is a log of frames, each with the size of the database after its commit, or
// 0, and the salt of its round.
func logOf(frames ...[2]uint32) []byte {
	const page = 512
	log := make([]byte, 32)
	binary.BigEndian.PutUint32(log[8:], page)
	binary.BigEndian.PutUint32(log[16:], 7)
	for _, f := range frames {
		frame := make([]byte, 24+page)
		binary.BigEndian.PutUint32(frame[4:], f[0])
		binary.BigEndian.PutUint32(frame[8:], f[1])
		log = append(log, frame...)
	}
	return log
}

func TestLogThatEndsUncommitted(t *testing.T) {
	for name, test := range map[string]struct {
		log  []byte
		want bool
	}{
		"none":                         {nil, false},
		"empty":                        {logOf(), false},
		"committed":                    {logOf([2]uint32{0, 7}, [2]uint32{2, 7}), false},
		"open":                         {logOf([2]uint32{2, 7}, [2]uint32{0, 7}), true},
		"committed, then an old round": {logOf([2]uint32{2, 7}, [2]uint32{0, 6}), false},
		"cut in its last frame":        {logOf([2]uint32{2, 7}, [2]uint32{3, 7})[:32+536+100], true},
	} {
		if got := endsUncommitted(test.log); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
