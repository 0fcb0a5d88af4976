package findings

// Classes are all classes there are, those that move money twice first.
func Classes() []Class {
	return []Class{
		SameKeyExecutedTwice, ConcurrentSameKey, RetryAfterRetention, ExecutedButNotAnswered, ProxyRetry,
		TwoKeysInOneRequest, ClockSkew, FanOut, WebhookRedelivery, KeyRegeneratedOnRetry, KeyFromVolatileFields,
		KeyHoldsTime, NoKey, TwoPathsOfOneOrder, BatchRunAgain, DuplicateRefundOrPayout, SameKeyDifferentBody,
		AmountOffByUnit, KeyReusedAcrossEndpoints, KeyCollisionAcrossClients, ReplayedErrorThenNewKey, ImportUnitTrap, NotADuplicate,
	}
}
