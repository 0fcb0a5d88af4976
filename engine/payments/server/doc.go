// Package server runs the payment API: it puts the idempotency layer before it,
// bounds what a client can take of the process, and looks after what must be done
// every now and then. It is the program behind "idem serve" without its flags.
//
//	POST, GET /v1/...            the API, behind the layer
//	GET /v1/idempotency_policy   what clients may rely on; public
//	GET /healthz                 the process answers
//	GET /readyz                  the store answers, and the server is not stopping
//	GET /metrics                 Prometheus
package server
