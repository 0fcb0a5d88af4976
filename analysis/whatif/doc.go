// Package whatif replays one day under several policies side by side and tells
// what each would have done: which payments would still go out twice, which
// honest requests it would refuse, and what it answers instead.
//
// The day is read once. Its rows are prepared and classified once, whatever the
// policies, and every policy has a course and a lean store of its own. What a
// request is does not depend on a policy: two requests are the same when client,
// endpoint, key and the canonical form of the body are.
package whatif
