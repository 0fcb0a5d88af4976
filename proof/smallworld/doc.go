// Package smallworld walks through everything that can happen to one key in a
// small world: three clients with two different requests, who send, retry,
// crash, finish late and finish twice, while time passes from one boundary to
// the next and a purge runs whenever it likes. The rules are the engine's own;
// what must hold is said here once more, in the words of an onlooker who sees
// claims, answers and money, and never a record.
//
// The world is finite, so that the walk is a proof for it: each state is visited
// once, breadth first, and the first way to break an invariant that is found is
// a shortest one.
package smallworld
