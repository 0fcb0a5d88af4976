// Package fleet holds no code, only a test: three servers of the payment API on
// one Postgres, which are killed, stopped for longer than their leases and
// deprived of the database, while several clients send each key again and again
// to all of them.
package fleet
