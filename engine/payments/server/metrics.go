package server

import (
	"net/http"
	"time"

	"idem/engine/httpidem"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are this server's own; two servers in one process do not meet.
type metrics struct {
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	latency     *prometheus.HistogramVec
	claims      prometheus.Counter
	takeovers   prometheus.Counter
	reruns      prometheus.Counter
	lost        prometheus.Counter
	panics      prometheus.Counter
	purged      prometheus.Counter
	expired     prometheus.Counter
	storeErrors prometheus.Counter
	unrecorded  prometheus.Counter
}

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "idem_requests_total", Help: "Requests by what the idempotency layer did with them.",
	}, []string{"outcome"})
	m.latency = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "idem_request_duration_seconds", Help: "Time from a request's header to the end of its reply.",
		Buckets: prometheus.ExponentialBucketsRange(0.0001, 30, 18),
	}, []string{"outcome"})
	m.registry.MustRegister(m.requests, m.latency, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, o := range httpidem.Outcomes() {
		// An outcome that has not happened is 0, not absent.
		m.requests.WithLabelValues(string(o))
	}
	m.claims = m.counter("idem_claims_total", "Keys claimed, takeovers included.")
	m.takeovers = m.counter("idem_takeovers_total", "Claims taken over after their lease had ended.")
	m.reruns = m.counter("idem_expired_reruns_total", "Runs under a key that was used before and is past its retention.")
	m.lost = m.counter("idem_claims_lost_total", "Handlers that ran longer than their claim was their own.")
	m.panics = m.counter("idem_handler_failures_total", "Handlers that panicked or whose effect failed; stored as 500.")
	m.purged = m.counter("idem_purged_keys_total", "Expired keys that were deleted.")
	m.expired = m.counter("idem_intents_expired_total", "Intents canceled at their expiry by the sweep.")
	m.storeErrors = m.counter("idem_store_errors_total", "Failures of the store.")
	m.unrecorded = m.counter("idem_record_dropped_total", "Requests that did not get into the record.")
	return m
}

func (m *metrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	m.registry.MustRegister(c)
	return c
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

func (m *metrics) observe(e *httpidem.Event) {
	m.requests.WithLabelValues(string(e.Outcome)).Inc()
	m.latency.WithLabelValues(string(e.Outcome)).Observe(e.Duration.Seconds())
	count := func(c prometheus.Counter, happened bool) {
		if happened {
			c.Inc()
		}
	}
	count(m.claims, e.Claimed)
	count(m.takeovers, e.Takeover)
	count(m.reruns, e.ExpiredRerun)
	count(m.lost, e.Outcome == httpidem.Lost)
	count(m.panics, e.Outcome == httpidem.Executed && e.Err != nil)
	count(m.storeErrors, e.Outcome == httpidem.Unavailable)
}
