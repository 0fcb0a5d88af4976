package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"idem/engine/httpidem"
	"idem/engine/payments"
	"idem/engine/payments/recorder"
)

// observe is told each request that went through the layer.
func (s *Server) observe(ctx context.Context, e httpidem.Event) {
	s.metrics.observe(&e)
	s.log(ctx, &e)
	s.record(ctx, &e)
}

// log writes one line a request. It shows neither credential nor body, and of
// client and key only what is needed to tell them apart.
func (s *Server) log(ctx context.Context, e *httpidem.Event) {
	level := logLevel(e)
	if !s.cfg.Logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", e.Request.Method),
		slog.String("path", e.Path()),
		slog.Int("status", e.Status),
		slog.String("outcome", string(e.Outcome)),
		slog.Duration("duration", e.Duration),
	}
	if e.Request.ClientID != "" {
		attrs = append(attrs, slog.String("client", e.ClientHash()))
	}
	if e.Request.Key != "" {
		attrs = append(attrs, slog.String("key", e.ShortKey()), slog.Int("attempt", e.Attempt))
	}
	if e.Takeover {
		attrs = append(attrs, slog.Bool("takeover", true))
	}
	if e.ExpiredRerun {
		attrs = append(attrs, slog.Bool("expired_rerun", true))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", e.Err.Error()))
	}
	var panicked *httpidem.PanicError
	if errors.As(e.Err, &panicked) {
		attrs = append(attrs, slog.String("stack", string(panicked.Stack)))
	}
	s.cfg.Logger.LogAttrs(ctx, level, "request", attrs...)
}

func logLevel(e *httpidem.Event) slog.Level {
	switch {
	case e.Err != nil:
		return slog.LevelError
	case e.Outcome == httpidem.Lost || e.Takeover || e.ExpiredRerun:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

type seqKey struct{}

// arrive gives each request that takes a key its place in the record: that of
// its arrival, not that of its end.
func (s *Server) arrive(next http.Handler) http.Handler {
	if s.recorder == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if httpidem.TakesKey(r.Method) {
			r = r.WithContext(context.WithValue(r.Context(), seqKey{}, s.recorder.NextSeq()))
		}
		next.ServeHTTP(w, r)
	})
}

// record hands the request to the recorder. What was refused with 401 belongs to
// nobody and is left out.
func (s *Server) record(ctx context.Context, e *httpidem.Event) {
	seq, ok := ctx.Value(seqKey{}).(int64)
	if !ok || e.Status == http.StatusUnauthorized && e.Outcome == httpidem.Refused {
		return
	}
	entry := recorder.Entry{
		Seq: seq, ReceivedAt: e.Received, Request: e.Request, Duration: e.Duration,
		Status: e.Status, Attempt: e.Attempt, Outcome: string(e.Outcome),
	}
	entry.Request.Endpoint = e.Path()
	if e.Outcome == httpidem.Executed && e.Status == http.StatusCreated && strings.HasSuffix(e.Path(), "/transfers") {
		if t, ok := payments.TransferOf(e.Body); ok {
			entry.Transfer = &t
		}
	}
	s.recorder.Add(entry)
}
