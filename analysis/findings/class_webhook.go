package findings

import "strings"

// WebhookRedelivery: the same event came again, as providers send it until it is
// acknowledged, and the handler moved money each time.
//
// Endpoint and body show it: an equal body, which names the event, at an
// endpoint for events. Blind spot: two events with equal bodies and no id; they
// are suspected only.
const WebhookRedelivery Class = "WEBHOOK_REDELIVERY"

// eventWords are parts of the paths at which events come in.
var eventWords = []string{"webhook", "/hook", "callback", "notify", "notification", "/ipn", "/event"}

func hasWord(endpoint string, words []string) bool {
	low := strings.ToLower(endpoint)
	for _, w := range words {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

func webhookOfKey(d *facts, c *keyCluster) bool {
	return d.isKind(d.requests[c.sends[0]].endpoint, forEvents)
}

func webhookRedelivery(d *facts, l *link) Confidence {
	if l.any(otherRef|otherEndpoint|otherClient) || !l.is(sameBody) || !d.isKind(l.a.endpoint, forEvents) || l.gap < 0 || l.gap > redeliverySpan {
		return 0
	}
	switch {
	case l.is(namesOrder), l.a.bodyKey != 0 && l.a.bodyKey == l.b.bodyKey, l.is(sameKey):
		return Probable
	case l.is(common):
		return 0
	}
	return Suspected
}
