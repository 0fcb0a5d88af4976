package whatif

import (
	"time"

	"idem/engine"
)

// Presets are the published behaviours of payment APIs, as far as the knobs can
// say them. Each source was read in November 2026; what it does not say is in the
// note, together with what was taken instead. A lease is published by none of
// them; it is the default's, and shows only after a crash.
func Presets() []Case {
	return []Case{stripe(), adyen(), paypal(), checkout(), qonto(), rapyd(), mojaloop()}
}

// answersFirst is a policy that compares no bodies and answers another one with
// the first result.
func answersFirst(retention time.Duration, scope ...engine.ScopeField) engine.Policy {
	p := engine.DefaultPolicy()
	p.Scope, p.Retention = scope, retention
	p.Fingerprint, p.OnMismatch = engine.RuleNone, engine.MismatchReplays
	return p
}

func stripe() Case {
	p := engine.DefaultPolicy()
	p.Scope = []engine.ScopeField{engine.ScopeClient, engine.ScopeKey}
	p.Retention, p.OnMismatch = 24*time.Hour, 400
	return Case{Name: "Stripe v1", Policy: p,
		Source: "https://docs.stripe.com/api/idempotent_requests",
		Note: "Keys may be removed once they are at least 24 hours old; here they always are. " +
			"The first reply is kept, errors of status 500 too; replies to requests that fail validation are not, which no knob says. " +
			"Another endpoint is an error as another body is (https://docs.stripe.com/api/errors, idempotency_error), here only the body is compared. " +
			"The scope and the status of that error are not published there: taken as client and key, and 400. 409 for a request in flight is.",
	}
}

func adyen() Case {
	return Case{Name: "Adyen", Policy: answersFirst(7*24*time.Hour, engine.ScopeClient, engine.ScopeKey),
		Source: "https://docs.adyen.com/development-resources/api-idempotency",
		Note: "Keys are unique to the company account (here: the client) and valid for at least 7 days (31 in older versions of the page). " +
			"A request in flight gets 422 or 409 with code 704. " +
			"Whether bodies are compared, and whether errors are kept, is not published: taken as not compared and kept.",
	}
}

func paypal() Case {
	p := answersFirst(6*time.Hour, engine.ScopeClient, engine.ScopeEndpoint, engine.ScopeKey)
	p.Stored = engine.StoreNot5xx
	return Case{Name: "PayPal", Policy: p,
		Source: "https://developer.paypal.com/reference/guidelines/idempotency",
		Note: "How long a PayPal-Request-Id is kept differs by API; for Orders v2 it is 6 hours, up to 72 on request (https://developer.paypal.com/api/orders/v2/orders-authorize). " +
			"Calls that failed with 5xx may be sent again under the same id, taken as 5xx not kept. " +
			"Of two simultaneous calls the second may fail, with a status that is not published: 409 is taken. " +
			"Scope and comparison of bodies are not published: taken as client, endpoint and id, and not compared.",
	}
}

func checkout() Case {
	p := answersFirst(24*time.Hour, engine.ScopeClient, engine.ScopeEndpoint, engine.ScopeKey)
	p.Stored, p.OnInFlight = engine.StoreSuccess, 429
	return Case{Name: "Checkout.com", Policy: p,
		Source: "https://www.checkout.com/docs/payments/manage-payments/retry-a-payment",
		Note: "Keys expire after 24 hours by default; only 2xx is kept. " +
			"That concurrent requests get 429 is said by the vendor's PHP library. " +
			"Scope and comparison of bodies are not published: taken as client, endpoint and key, and not compared.",
	}
}

func qonto() Case {
	p := answersFirst(30*time.Minute, engine.ScopeClient, engine.ScopeEndpoint, engine.ScopeKey)
	p.Stored = engine.StoreSuccess
	return Case{Name: "Qonto", Policy: p,
		Source: "https://docs.qonto.com/get-started/general/idempotent-requests",
		Note: "Keys expire after 30 minutes; the successful response is kept and returned even if the body differs. " +
			"Scope and the answer to a request in flight are not published: taken as client, endpoint and key, and 409.",
	}
}

func rapyd() Case {
	return Case{Name: "Rapyd",
		Policy: answersFirst(24*time.Hour, engine.ScopeClient, engine.ScopeEndpoint, engine.ScopeKey, engine.ScopeAmount),
		Source: "https://docs.rapyd.net/en/idempotency.html",
		Note: "By default only Create Payment is checked, by key and amount; the currency is not looked at. 24 hours. " +
			"Scope beyond that, which replies are kept and the answer to a request in flight are not published: taken as client and endpoint, all, and 409.",
	}
}

func mojaloop() Case {
	p := engine.DefaultPolicy()
	p.Retention, p.OnMismatch = engine.Forever, 400
	return Case{Name: "Mojaloop", Policy: p,
		Source: "https://docs.mojaloop.io/api/fspiop/v1.1/api-definition.html",
		Note: "Section 3.2.5: the id of the object is the key, its parameters are compared (a hash is recommended), and no end of the comparison is named, taken as none. " +
			"The API is asynchronous: another body gets an error callback (here 400), a resend while the first runs is ignored because its callback is about to come (here 409).",
	}
}
