package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"idem/engine"
)

// load has clients pay at the servers until ctx ends. The answers that they wait
// for then, they get.
func (b *bank) load(ctx context.Context, running *sync.WaitGroup) {
	for range b.clients {
		random := rand.New(rand.NewPCG(b.random.Uint64(), 0))
		running.Go(func() {
			for ctx.Err() == nil {
				b.mu.Lock()
				s := b.alive(random)
				if s == nil {
					b.mu.Unlock()
					return
				}
				key := b.pick(random)
				b.mu.Unlock()
				b.pay(s, key)
			}
		})
	}
}

// alive is the address of a server that was not killed, nor stopped.
func (b *bank) alive(random *rand.Rand) *server {
	var list []*server
	for _, s := range b.servers {
		if !s.away {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[random.IntN(len(list))]
}

// pick is a new key half of the time, else one that nobody was told of, or any.
func (b *bank) pick(random *rand.Rand) string {
	switch n := random.IntN(4); {
	case n == 0 && b.keys > 0:
		return fmt.Sprint("k", random.IntN(b.keys))
	case n == 1:
		for k := range b.unknown { // any will do
			return k
		}
	}
	b.keys++
	return fmt.Sprint("k", b.keys-1)
}

// pay sends a key. Not to be told anything is no contradiction.
func (b *bank) pay(s *server, key string) {
	b.mu.Lock()
	before, told := b.told[key]
	b.sent[key] = true
	if !told {
		b.unknown[key] = true
	}
	b.mu.Unlock()
	body := fmt.Sprintf(`{"src":"A","dst":"B","amount":%d,"currency":"KRW"}`, amount)
	req, err := http.NewRequest(http.MethodPost, "http://"+s.addr+"/v1/transfers", strings.NewReader(body))
	if err != nil {
		b.fails(err)
		return
	}
	req.Header.Set("Authorization", "Bearer c")
	req.Header.Set("Idempotency-Key", key)
	resp, err := b.client.Do(req)
	if err != nil {
		time.Sleep(200 * time.Microsecond) // nobody listens there any more
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return
	}
	if err := b.hear(key, before, resp, string(text)); err != nil {
		b.fails(fmt.Errorf("%s is answered %d %s, replayed %q; it was %q before: %w", key, resp.StatusCode, text, resp.Header.Get("Idempotent-Replayed"), before, err))
	}
}

func (b *bank) fails(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.problem == nil {
		b.problem = err
	}
}

// hear judges an answer. before is what had been told when the request was sent.
func (b *bank) hear(key, before string, resp *http.Response, text string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	was, again := b.before.rows[key], resp.Header.Get("Idempotent-Replayed") == "true"
	switch {
	case resp.StatusCode == http.StatusServiceUnavailable:
		return nil
	case resp.StatusCode == http.StatusConflict && before == "" && !was.completed:
		if strings.Contains(text, engine.ReasonClaimLost) {
			b.tally[tooLate]++
		} else {
			b.tally[conflicts]++
		}
		return nil
	case resp.StatusCode != http.StatusCreated:
		return errors.New("a payment is answered 201")
	case before != "" && before != text || was.completed && was.body != text:
		return errors.New("a retry is answered as the first one")
	case !again && (before != "" || was.completed || b.fresh[key]):
		return errors.New("it is paid anew")
	}
	if again {
		b.tally[replayed]++
	} else {
		b.fresh[key] = true
	}
	b.told[key] = text
	delete(b.unknown, key)
	return nil
}
