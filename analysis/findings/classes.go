package findings

import "slices"

// Classes are all classes there are, those that move money twice first.
func Classes() []Class { return slices.Clone(classes) }

var classes = []Class{
	SameKeyExecutedTwice, ConcurrentSameKey, RetryAfterRetention, ExecutedButNotAnswered, ProxyRetry,
	TwoKeysInOneRequest, ClockSkew, FanOut, WebhookRedelivery, KeyRegeneratedOnRetry, KeyFromVolatileFields,
	KeyHoldsTime, NoKey, TwoPathsOfOneOrder, BatchRunAgain, DuplicateRefundOrPayout, SameKeyDifferentBody,
	AmountOffByUnit, KeyReusedAcrossEndpoints, KeyCollisionAcrossClients, ReplayedErrorThenNewKey, ImportUnitTrap, NotADuplicate,
}

// Surest is how sure a finding of the class is at most: certain where a rule goes
// by one key or one logged request (what is disputed there, too), 0 where the class accuses no transfer.
func (c Class) Surest() Confidence {
	switch c {
	case KeyCollisionAcrossClients, ReplayedErrorThenNewKey, ImportUnitTrap, NotADuplicate:
		return 0
	case SameKeyDifferentBody, AmountOffByUnit:
		return Certain
	}
	for i := range keyRules {
		if keyRules[i].class == c {
			return Certain
		}
	}
	return Probable
}

// classSet is a set of classes; a day has a hundred thousand of them.
type classSet uint32

func (s *classSet) add(c Class) { *s |= 1 << slices.Index(classes, c) }

func (s classSet) list() []Class {
	var list []Class
	for i, c := range classes {
		if s>>i&1 == 1 {
			list = append(list, c)
		}
	}
	return list
}
