package findings

// A keyRule explains why one key moved money more than once: why its retry was
// executed. A match is certain, as the key proves the rest; a weaker tie of a
// transfer to its request weakens it.
type keyRule struct {
	class Class
	match func(d *facts, c *keyCluster) bool
}

// keyRules, the strongest explanation first. The last one matches whatever is
// left.
var keyRules = []keyRule{
	{TwoKeysInOneRequest, twoKeys},
	{ProxyRetry, proxyRetry},
	{ClockSkew, clockSkew},
	{FanOut, fanOutOfKey},
	{ConcurrentSameKey, concurrent},
	{RetryAfterRetention, afterRetention},
	{ExecutedButNotAnswered, executedNotAnswered},
	{WebhookRedelivery, webhookOfKey},
	{SameKeyExecutedTwice, func(*facts, *keyCluster) bool { return true }},
}

// A linkRule explains why an equal payment under another key, or under none, is
// no honest repeat, and how sure that is; 0 is not at all.
type linkRule struct {
	class Class
	match func(d *facts, l *link) Confidence
}

// linkRules, the strongest explanation first where two are equally sure.
var linkRules = []linkRule{
	{TwoKeysInOneRequest, twoKeysAcross},
	{KeyReusedAcrossEndpoints, keyReused},
	{WebhookRedelivery, webhookRedelivery},
	{TwoPathsOfOneOrder, twoPaths},
	{DuplicateRefundOrPayout, duplicateRefund},
	{FanOut, fanOut},
	{NoKey, noKey},
	{KeyRegeneratedOnRetry, keyRegenerated},
}

// keyCluster is the transfers and the sends of one key in one scope, each in the
// order of time.
type keyCluster struct {
	transfers []int32
	sends     []int32
	links     []link // from each transfer to the next one
}

// someLink reports whether one of the links is of a kind.
func (c *keyCluster) someLink(is func(*link) bool) bool {
	for i := range c.links {
		if is(&c.links[i]) {
			return true
		}
	}
	return false
}

// Spans within which circumstances suggest a retry. A person who pays the same
// again takes longer, or has an order of another name.
const (
	second = 1_000_000_000
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour

	// fanOutSpan is how near in time the copies of one message are executed.
	fanOutSpan = 1 * second
	// doubleClick is how near in time one person sends a form twice.
	doubleClick = 2 * second
	// shortestWait is how long a caller waits for an answer at least. Who pays
	// again sooner, while the first still runs, has two things to pay for.
	shortestWait = 5 * second
	// keylessSpan: a retry without a key comes within a minute.
	keylessSpan = 1 * minute
	// shortRetry: retries that follow an error, where no order is named.
	shortRetry = 3 * minute
	// longRetry: retries that follow an error, for the same order.
	longRetry = 15 * minute
	// twoPathsSpan: a webhook mostly overtakes the checkout it belongs to.
	twoPathsSpan = 10 * minute
	// redeliverySpan: providers redeliver an event for three days (Stripe).
	redeliverySpan = 72 * hour
)
