// Package classroom shows what an idempotency engine is for, by engines that are
// wrong on purpose: each a few lines over the real one, replayed on the same day
// beside it. An [Audit] holds what must always be true of an engine against what
// a course does. That it catches each of the wrong ones, and passes the right
// one, is the proof that the checks can fail.
package classroom
