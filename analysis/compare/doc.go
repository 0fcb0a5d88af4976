// Package compare lays two outcomes of one day beside each other, request by
// request: what was recorded beside what a policy does, or one policy beside
// another. It says of each request whether the two sides differ, in money or in
// the answer only, and finds the next one that does at once.
//
// Both sides are made in one reading of the day and kept in a temporary folder,
// 16 bytes a request and side. In memory stays a bit for each request and kind of
// difference, so that a million rows are looked at as cheaply as a hundred.
package compare
