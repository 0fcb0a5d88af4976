// Package payments is a payment API to be served behind httpidem: intents, which
// a payer has until their expiry to pay, and transfers between accounts of the
// ledger.
//
//	POST /v1/payment_intents       create an intent
//	GET  /v1/payment_intents/{id}  read one's own
//	POST /v1/transfers             move money
//
// It knows nothing of keys and retries. What it commits, it commits with
// [httpidem.OnComplete], together with the reply.
//
// Who is asking is what [httpidem.Client] says: an intent of another client does
// not exist.
package payments
