package tui

// stop is a place that the tour comes to: the keys that a person would press to
// get there from anywhere, and what is said about what is then on the screen.
// A {word} stands for a figure of the incident; figures has them all.
type stop struct {
	title, keys, text string
	spoken            spot // in linear mode
}

// spot is where a stop is in linear mode, which presses no keys.
type spot uint8

const (
	nowhere spot = iota
	firstStep
	duplicateStep
	inFlightStep
	mismatchStep
	firstKey
	dayEnd
	rules
	wholeReport
	tourEnd
)

// tourStops are the tour, with all that it says. Each text fits into four lines
// of the narrowest screen.
var tourStops = []stop{
	{"The day", "1 esc esc g",
		"This is a lab's day of {requests} requests in the real workbench; nothing is staged. Clients that got no answer sent their " +
			"payment again, and the old service paid again: {extra} times, {paid} in all.", nowhere},
	{"Created", "2 esc esc esc g",
		"The day again, now through an engine that knows keys. Request {n} has a key that nobody used: it is CREATED. The payment " +
			"runs, and its answer is kept with the key.", firstStep},
	{"Replayed", "2 esc esc esc g d",
		"Request {n} is a retry of {holder}: the same key, the same body. It is REPLAYED: it gets the kept answer, byte for byte, and " +
			"the engine moves nothing. The old service moved {v1} again.", duplicateStep},
	{"409 in flight", "2 esc esc esc g e",
		"Request {n} came while {holder} still ran, so there is no answer yet: 409 IN FLIGHT. Wait, then ask again. Had it run too, " +
			"both would have paid, as in the old service.", inFlightStep},
	{"422 mismatch", "2 esc esc esc g e e",
		"Request {n} has the key of {holder} and another body: 422 MISMATCH. To run it or to send the other's answer would both be " +
			"wrong. The client mixed its keys up and must take a new one.", mismatchStep},
	{"The duplicates", "1 esc esc g enter",
		"{groups} keys were paid more than once. This one was sent {sent} times: the first transfer is kept, every other one is " +
			"extra, and what it moved was paid twice.", firstKey},
	{"The money", "2 esc esc esc g G",
		"The day is through. The old service moved {v1_total}, the engine {transferred}. The difference, {stopped}, is what was " +
			"stopped; any other reason would stand beside it by its name.", dayEnd},
	{"The policy", "3 g",
		"These rules decided all of it: what counts as the same key, how long it is kept ({retention}), how long a claim is " +
			"protected ({lease}), and what a retry gets.", rules},
	{"The report", "4 g",
		"For people: what went wrong, how it was stopped, what is still at risk, and the rules from now on. It was written into " +
			"{dir}, with the files for machines.", wholeReport},
	{"The end", "1 esc esc g",
		"Go on with Findings (5), which looks beyond keys, What if (6), which turns the rules, or Classroom (7), where you say each " +
			"outcome first. q ends the tour and leaves you in the workbench; q again quits.", tourEnd},
}
