package fleet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// clients send keys, each of them several times, to whichever server.
type clients struct {
	http *http.Client
	sent atomic.Int64
	done atomic.Int64 // answers of any kind

	mu       sync.Mutex
	addrs    []string
	next     int
	told     map[string][]byte // key to the body of its first 201; nil before
	problems []string

	cancel  context.CancelFunc
	running sync.WaitGroup
}

const (
	workers = 24
	// window is how many of the newest keys are sent again.
	window = 40
	// patience is how long a client waits for a server before it asks another.
	patience = 700 * time.Millisecond
)

func newClients(addrs []string) *clients {
	return &clients{
		http:  &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: workers}},
		addrs: addrs, told: map[string][]byte{},
	}
}

func (c *clients) start() {
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	for range workers {
		c.running.Go(func() {
			for ctx.Err() == nil {
				key, addr := c.draw()
				c.send(addr, key)
			}
		})
	}
}

func (c *clients) stop() {
	c.cancel()
	c.running.Wait()
}

// answered waits for n more answers, or half a minute.
func (c *clients) answered(n int64) {
	deadline := time.Now().Add(30 * time.Second)
	for until := c.done.Load() + n; c.done.Load() < until; {
		if time.Now().After(deadline) {
			c.problem("no %d answers in half a minute", n)
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// move tells where the servers are now.
func (c *clients) move(addrs []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.addrs = addrs
}

// draw picks a key, every fifth time a new one, and a server.
func (c *clients) draw() (key, addr string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	addr = c.addrs[rand.IntN(len(c.addrs))]
	n := c.next - 1 - rand.IntN(min(window, max(1, c.next)))
	if c.next == 0 || rand.IntN(5) == 0 {
		n = c.next
		c.next++
	}
	key = keyName(n)
	if _, known := c.told[key]; !known {
		c.told[key] = nil
	}
	return key, addr
}

// keyName is t-n for a transfer, i-n for an intent.
func keyName(n int) string {
	return fmt.Sprintf("%s-%d", []string{"t", "t", "i"}[n%3], n)
}

func (c *clients) keys() (keys []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.told {
		keys = append(keys, key)
	}
	return keys
}

// send sends a key's request and judges the answer. It reports whether that was
// the result of the key.
func (c *clients) send(addr, key string) (result, replayed bool) {
	path, body := "/v1/transfers", `{"src":"a","dst":"b","amount":1,"currency":"KRW"}`
	if strings.HasPrefix(key, "i-") {
		path, body = "/v1/payment_intents", `{"chain":"evm:31337","token":"0xT","payer":"0xP","merchant":"0xM","amount":"1"}`
	}
	req, err := http.NewRequest(http.MethodPost, "http://"+addr+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer shop-1")
	req.Header.Set("Idempotency-Key", key)
	c.sent.Add(1)
	defer c.done.Add(1)
	resp, err := c.http.Do(req)
	if err != nil {
		return false, false // killed, stopped: nobody knows, so it is sent again
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return false, false
	}
	switch resp.StatusCode {
	case http.StatusCreated:
		c.tell(key, text)
		return true, resp.Header.Get("Idempotent-Replayed") == "true"
	case http.StatusConflict, http.StatusServiceUnavailable:
	default:
		c.problem("%s was answered %d: %s", key, resp.StatusCode, text)
	}
	return false, false
}

// tell notes what a client was told; it must be the same every time.
func (c *clients) tell(key string, body []byte) {
	c.mu.Lock()
	before := c.told[key]
	c.told[key] = body
	c.mu.Unlock()
	if before != nil && !bytes.Equal(before, body) {
		c.problem("%s was first %s and then %s", key, before, body)
	}
}

func (c *clients) problem(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}
