package tui

import (
	"idem/analysis/replay"
	"idem/engine"
)

// caption explains in a few words what an outcome means, for whoever does not
// know the field yet. Each fits the narrowest screen.
func caption(s *replay.Step) string {
	switch {
	case s.Class == replay.Created && s.Expired:
		return "its key had expired: it counts as new, and pays again"
	case s.Class == replay.Created:
		return "a new key: the payment runs, and its answer is kept"
	case s.Class == replay.Replayed:
		return "the same request again: the kept answer, and no money"
	case s.Class == replay.InFlight:
		return "the first one still runs: wait, then ask again"
	case s.Class == replay.Mismatch:
		return "the key stands for another request: take a new key"
	case s.Class == replay.Running:
		return "claimed and running: money and answer come together"
	}
	return refusalCaption(s.Reason)
}

// refusalCaption is the caption of a refused request.
func refusalCaption(reason string) string {
	switch reason {
	case replay.ReasonNoKey:
		return "no key: nobody could tell its retry, so it is not sent"
	case replay.ReasonUnusable:
		return "the row cannot be used, so it is not sent"
	case replay.ReasonLoggedError:
		return "the log has an error for it: that is the key's answer"
	case replay.ReasonCrashed:
		return "its worker died: a retry runs it once the lease is over"
	case replay.ReasonClaimLost:
		return "another worker took its claim over: it wrote nothing"
	case engine.RefusedFunds.Reason:
		return "the account has not enough: kept as the key's answer"
	}
	return "the ledger says no: kept as the key's answer"
}

// caption explains the step on the screen; "" where there is none, or where
// nothing is to be explained.
func (r *replayScreen) caption() string {
	if r.mute || r.current() == nil {
		return ""
	}
	return caption(r.current())
}
