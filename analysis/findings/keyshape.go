package findings

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// refine looks at the texts of keys that a client made anew, which tell how it
// made them.
func (f *Finding) refine() {
	if f.Class != KeyRegeneratedOnRetry {
		return
	}
	sends := slices.DeleteFunc(slices.Clone(f.Sends), func(s Send) bool { return s.Key == "" })
	if len(sends) < 2 {
		return
	}
	switch {
	case keysHoldTime(sends):
		f.Class = KeyHoldsTime
	case keysVary(sends):
		f.Class = KeyFromVolatileFields
	default:
		return
	}
	f.beat.add(KeyRegeneratedOnRetry)
}

// tokens splits a key at what is neither letter nor digit; the marks between
// are part of the shape.
func tokens(key string) (list []string, shape string) {
	start := 0
	for i := range len(key) {
		c := key[i]
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 {
			continue
		}
		list = append(list, key[start:i])
		shape += string(c)
		start = i + 1
	}
	return append(list, key[start:]), shape
}

// varying gives the tokens in which keys of one shape differ, by key. There is
// none unless the keys share a token: two random keys have one shape, too.
func varying(sends []Send) [][]string {
	first, shape := tokens(NormalKey(sends[0].Key))
	all := [][]string{first}
	for _, s := range sends[1:] {
		list, other := tokens(NormalKey(s.Key))
		if other != shape {
			return nil
		}
		all = append(all, list)
	}
	vary := make([][]string, len(all))
	shared := false
	for i := range first {
		same := true
		for _, list := range all {
			same = same && list[i] == first[i]
		}
		if same {
			shared = shared || len(first[i]) > 1
			continue
		}
		for k, list := range all {
			vary[k] = append(vary[k], list[i])
		}
	}
	if !shared || isUUID([]byte(NormalKey(sends[0].Key))) {
		return nil
	}
	return vary
}

// keysVary: the keys differ in digits alone, or are hashes of bodies that
// differ only in what a retry changes.
func keysVary(sends []Send) bool {
	vary := varying(sends)
	if vary == nil {
		a, b := &sends[0], &sends[1]
		return isHash(NormalKey(a.Key)) && isHash(NormalKey(b.Key)) && a.body == b.body && a.raw != b.raw
	}
	for _, list := range vary {
		for _, token := range list {
			if strings.Trim(token, "0123456789") != "" {
				return false
			}
		}
	}
	return len(vary[0]) > 0
}

// isHash reports as many hexadecimal digits as MD5, SHA-1 and SHA-256 have.
func isHash(key string) bool {
	return (len(key) == 32 || len(key) == 40 || len(key) == 64) && strings.Trim(key, "0123456789abcdefABCDEF") == ""
}

// buckets are spans by which clients count time.
var buckets = []int64{60, 120, 300, 600, 900, 1800, 3600, 86400}

// layouts are how keys write a time, down to the minute at most: a key with its
// second is of the instant, not of a bucket.
var layouts = []string{"200601021504", "2006010215", "20060102", "1504"}

// keysHoldTime: the keys differ in one token, which tells the bucket of time in
// which each was sent, or is a token that lives for a while.
func keysHoldTime(sends []Send) bool {
	vary := varying(sends)
	if vary == nil || len(vary[0]) == 0 {
		return false
	}
	if strings.HasPrefix(vary[0][0], "eyJ") { // a JSON Web Token, RFC 7519
		return true
	}
	if len(vary[0]) != 1 {
		return false
	}
	return slices.ContainsFunc(layouts, func(layout string) bool {
		return each(sends, vary, func(s *Send, token string) bool { return token == s.At.Format(layout) })
	}) || slices.ContainsFunc(buckets, func(bucket int64) bool {
		return each(sends, vary, func(s *Send, token string) bool { return inBucket(s.At, token, bucket) })
	})
}

func each(sends []Send, vary [][]string, is func(*Send, string) bool) bool {
	for i := range sends {
		if !is(&sends[i], vary[i][0]) {
			return false
		}
	}
	return true
}

// inBucket reports whether a token is the number or the beginning of the bucket
// that a time falls into.
func inBucket(at time.Time, token string, bucket int64) bool {
	n, err := strconv.ParseInt(token, 10, 64)
	if err != nil || at.IsZero() {
		return false
	}
	number := at.Unix() / bucket
	return n == number || n == number*bucket || n == number*bucket*1000
}
