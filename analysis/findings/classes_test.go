package findings_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"idem/analysis"
	"idem/analysis/findings"
)

// outcome is what is told of a scene: "CLASS confidence extra ids / disputed ids".
func outcome(r *findings.Result) []string {
	var list []string
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.Accuses() {
			continue
		}
		line := string(f.Class) + " " + f.Confidence.String()
		for _, id := range ids(f.Extra) {
			line += " " + id
		}
		if len(f.Disputed) > 0 {
			line += " / " + strings.Join(ids(f.Disputed), " ")
		}
		list = append(list, line)
	}
	return list
}

const order = `"ref":"order-7"`

// scenes are incidents and what is told of them.
var scenes = []struct {
	name string
	make func(*scene)
	want []string
}{
	{"same key", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, "")
		s.pay(sent{at: "09:00:05", key: "k"}, "a", "b", 5, "")
	}, []string{"SAME_KEY_EXECUTED_TWICE certain T2"}},
	{"same key spelled three ways", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: `"8E03978E-40D5-43E8-BC93-6894A57F9324"`}, "a", "b", 5, "")
		s.pay(sent{at: "09:00:05", key: "8e03978e-40d5-43e8-bc93-6894a57f9324 "}, "a", "b", 5, "")
		s.pay(sent{at: "09:00:09", key: "IDEMPOTENCY-KEY: 8e03978e-40d5-43e8-bc93-6894a57f9324"}, "a", "b", 5, "")
	}, []string{"SAME_KEY_EXECUTED_TWICE certain T2 T3"}},
	{"keys that differ in case are two", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "Order-a"}, "a", "b", 5, "")
		s.pay(sent{at: "09:00:05", key: "order-a"}, "a", "b", 5, "")
	}, nil},
	{"keys that say nothing are none", func(s *scene) {
		for i, key := range []string{"undefined", "null", "NULL", " ", "-", "00000000-0000-0000-0000-000000000000"} {
			s.pay(sent{at: fmt.Sprintf("09:%02d:00", 5*i), key: key}, "a", fmt.Sprint("b", i%2), 5, "")
		}
	}, nil},
	{"same key, the first not answered", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k", status: 502}, "a", "b", 5, "")
		s.pay(sent{at: "09:00:05", key: "k"}, "a", "b", 5, "")
	}, []string{"EXECUTED_BUT_ERROR_ANSWERED certain T2"}},
	{"an error that moved nothing", func(s *scene) {
		s.send(sent{at: "09:00:00", key: "k", status: 502, body: asks("a", "b", 5, order)})
		s.pay(sent{at: "09:00:05", key: "k"}, "a", "b", 5, order)
	}, nil},
	{"same key, while the first ran", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k", ms: 45000}, "a", "b", 5, "")
		s.pay(sent{at: "09:00:30", key: "k", ms: 45000}, "a", "b", 5, "")
	}, []string{"CONCURRENT_SAME_KEY certain T2"}},
	{"same key, a day later", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, "")
		s.pay(sent{at: "2026-03-11T09:00:00", key: "k"}, "a", "b", 5, "")
	}, []string{"RETRY_AFTER_RETENTION certain T2"}},
	{"same key, recognised once, then forgotten", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, "")
		s.send(sent{at: "09:10:00", key: "k", body: asks("a", "b", 5, "")})
		s.pay(sent{at: "09:40:00", key: "k"}, "a", "b", 5, "")
	}, []string{"RETRY_AFTER_RETENTION certain T2"}},
	{"same key, recognised each time", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, "")
		s.send(sent{at: "09:10:00", key: "k", body: asks("a", "b", 5, "")})
		s.send(sent{at: "09:40:00", key: "k", body: asks("a", "b", 5, "")})
	}, nil},
	{"same key, three at once", func(s *scene) {
		for _, at := range []string{"09:00:00", "09:00:00.3", "09:00:00.6"} {
			s.pay(sent{at: at, key: "k"}, "a", "b", 5, "")
		}
	}, []string{"FAN_OUT certain T2 T3"}},
	{"fan-out under keys of their own", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k1", status: 500}, "a", "b", 5, order)
		s.pay(sent{at: "09:00:00.1", key: "k2"}, "a", "b", 5, order)
	}, []string{"FAN_OUT probable T2"}},
	{"at once, but for other orders", func(s *scene) {
		for i, at := range []string{"09:00:00", "09:00:00.1", "09:00:00.2"} {
			s.pay(sent{at: at, key: fmt.Sprint("k", i)}, "a", "b", 5, fmt.Sprintf(`"ref":"order-%d"`, i))
		}
	}, nil},
	{"proxy retry", func(s *scene) {
		r := s.pay(sent{at: "09:00:00", key: "k", ms: 6000}, "a", "b", 5, "")
		s.move(r, "a", "b", 5)
	}, []string{"PROXY_RETRY certain T2"}},
	{"proxy retry of a request without a key", func(s *scene) {
		r := s.pay(sent{at: "09:00:00", ms: 6000}, "a", "b", 5, "")
		s.move(r, "a", "b", 5)
	}, []string{"PROXY_RETRY certain T2"}},
	{"one request that names no amount", func(s *scene) {
		r := s.send(sent{at: "09:00:00", key: "k", body: `{"cart":"c-1"}`})
		s.move(r, "a", "b", 5)
		s.move(r, "a", "b", 5)
	}, []string{"PROXY_RETRY probable T2"}},
	{"one request in two equal parts", func(s *scene) {
		r := s.send(sent{at: "09:00:00", key: "k", body: asks("a", "b", 10, "")})
		s.move(r, "a", "b", 5)
		s.move(r, "a", "b", 5)
	}, nil},
	{"one request that pays two", func(s *scene) {
		r := s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 100, "")
		s.move(r, "a", "fees", 3)
	}, nil},
	{"a payment and its fee, retried", func(s *scene) {
		for _, at := range []string{"09:00:00", "09:00:09"} {
			r := s.pay(sent{at: at, key: "k"}, "a", "b", 100, "")
			s.move(r, "a", "fees", 3)
		}
	}, []string{"SAME_KEY_EXECUTED_TWICE certain T3 T4"}},
	{"other body", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, "")
		s.pay(sent{at: "09:00:05", key: "k"}, "a", "b", 7, "")
	}, []string{"SAME_KEY_DIFFERENT_BODY certain / T1 T2"}},
	{"other body, and a plain retry", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, "")
		s.pay(sent{at: "09:00:05", key: "k"}, "a", "b", 5, "")
		s.pay(sent{at: "09:00:09", key: "k"}, "a", "b", 7, "")
	}, []string{"SAME_KEY_DIFFERENT_BODY certain T2 / T1 T3"}},
	{"other order under one key", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, `"ref":"order-1"`)
		s.pay(sent{at: "09:00:05", key: "k"}, "a", "b", 5, `"ref":"order-2"`)
	}, []string{"SAME_KEY_DIFFERENT_BODY certain / T1 T2"}},
	{"other unit under one key", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 49, "")
		s.pay(sent{at: "09:00:05", key: "k"}, "a", "b", 4900, "")
	}, []string{"AMOUNT_OFF_BY_UNIT certain / T1 T2"}},
	{"header key kept, body key new", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k", status: 504}, "a", "b", 5, `"requestId":"q1"`)
		s.pay(sent{at: "09:00:10", key: "k"}, "a", "b", 5, `"requestId":"q2"`)
	}, []string{"TWO_KEYS_IN_ONE_REQUEST certain T2"}},
	{"body key kept, header key new", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k1"}, "a", "b", 5, `"requestId":"q1"`)
		s.pay(sent{at: "09:00:10", key: "k2"}, "a", "b", 5, `"requestId":"q1"`)
	}, []string{"TWO_KEYS_IN_ONE_REQUEST probable T2"}},
	{"a key in the body alone", func(s *scene) {
		s.pay(sent{at: "09:00:00"}, "a", "b", 5, `"idempotency_key":"q1"`)
		s.pay(sent{at: "09:09:10"}, "a", "b", 5, `"idempotency_key":"q1"`)
	}, []string{"SAME_KEY_EXECUTED_TWICE certain T2"}},
	{"a member that may be a key", func(s *scene) {
		s.pay(sent{at: "09:00:00"}, "a", "b", 5, `"requestId":"q1"`)
		s.pay(sent{at: "09:09:10"}, "a", "b", 5, `"requestId":"q1"`)
	}, []string{"SAME_KEY_EXECUTED_TWICE probable T2"}},
	{"both keys new, both answered", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k1"}, "a", "b", 5, `"requestId":"q1"`)
		s.pay(sent{at: "09:00:10", key: "k2"}, "a", "b", 5, `"requestId":"q2"`)
	}, nil},
	{"clocks of two nodes", func(s *scene) {
		s.pay(sent{at: "09:00:05", key: "k", node: "n1"}, "a", "b", 5, "")
		r := s.pay(sent{at: "09:00:50", key: "k", node: "n2"}, "a", "b", 5, "")
		s.transfers[1].at = moment(r.at).Add(-40 * time.Second)
	}, []string{"CLOCK_SKEW certain T2"}},
	{"a log that writes when requests ended", func(s *scene) {
		for _, at := range []string{"09:00:05", "09:00:50"} {
			s.pay(sent{at: at, key: "k", node: "n" + at}, "a", "b", 5, "")
			s.transfers[len(s.transfers)-1].at = moment(at).Add(-9 * time.Second)
		}
	}, []string{"SAME_KEY_EXECUTED_TWICE certain T2"}},
	{"clocks within reason", func(s *scene) {
		s.pay(sent{at: "09:00:05", key: "k", node: "n1"}, "a", "b", 5, "")
		r := s.pay(sent{at: "09:00:50", key: "k", node: "n2"}, "a", "b", 5, "")
		s.transfers[1].at = moment(r.at).Add(-time.Second)
	}, []string{"SAME_KEY_EXECUTED_TWICE certain T2"}},
	{"new key after an error", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "8a1f", status: 504, ms: 31000}, "a", "b", 5, order)
		s.pay(sent{at: "09:00:32", key: "b77c"}, "a", "b", 5, order)
	}, []string{"KEY_REGENERATED_ON_RETRY probable T2"}},
	{"new key after an error, no order named", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "8a1f", status: 504, ms: 31000}, "a", "b", 5, "")
		s.pay(sent{at: "09:00:32", key: "b77c"}, "a", "b", 5, "")
	}, []string{"KEY_REGENERATED_ON_RETRY suspected T2"}},
	{"new key after an error, another order", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "8a1f", status: 504, ms: 31000}, "a", "b", 5, order)
		s.pay(sent{at: "09:00:32", key: "b77c"}, "a", "b", 5, `"ref":"order-8"`)
	}, nil},
	{"new key after an error, hours later", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "8a1f", status: 504, ms: 31000}, "a", "b", 5, order)
		s.pay(sent{at: "12:10:32", key: "b77c"}, "a", "b", 5, order)
	}, nil},
	{"new key after a success", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "8a1f"}, "a", "b", 5, order)
		s.pay(sent{at: "09:00:32", key: "b77c"}, "a", "b", 5, order)
	}, nil},
	{"key of the instant", func(s *scene) {
		s.pay(sent{at: "09:00:00.123", key: "pay-7-1773133200123", status: 504}, "a", "b", 5, order)
		s.pay(sent{at: "09:00:32.456", key: "pay-7-1773133232456"}, "a", "b", 5, order)
	}, []string{"KEY_FROM_VOLATILE_FIELDS probable T2"}},
	{"key that hashes a body with its time", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: strings.Repeat("ab", 32), status: 504}, "a", "b", 5, order+`,"sent_at":"1"`)
		s.pay(sent{at: "09:00:32", key: strings.Repeat("cd", 32)}, "a", "b", 5, order+`,"sent_at":"2"`)
	}, []string{"KEY_FROM_VOLATILE_FIELDS probable T2"}},
	{"key of the instant, both answered", func(s *scene) {
		s.pay(sent{at: "09:00:00.123", key: "pay-7-1773133200123"}, "a", "b", 5, `"ref":"coffee"`)
		s.pay(sent{at: "09:00:32.456", key: "pay-7-1773133232456"}, "a", "b", 5, `"ref":"coffee"`)
	}, nil},
	{"key of the minute", func(s *scene) {
		s.pay(sent{at: "09:01:50", key: "order7/202603100901", status: 504}, "a", "b", 5, order)
		s.pay(sent{at: "09:02:20", key: "order7/202603100902"}, "a", "b", 5, order)
	}, []string{"KEY_HOLDS_TIME_OR_TOKEN probable T2"}},
	{"key of the minute's number", func(s *scene) {
		s.pay(sent{at: "09:01:50", key: fmt.Sprint("order7:", moment("09:01:00").Unix()/60), status: 504}, "a", "b", 5, order)
		s.pay(sent{at: "09:02:20", key: fmt.Sprint("order7:", moment("09:02:00").Unix()/60)}, "a", "b", 5, order)
	}, []string{"KEY_HOLDS_TIME_OR_TOKEN probable T2"}},
	{"key of the minute, both answered", func(s *scene) {
		s.pay(sent{at: "09:01:50", key: "order7/202603100901"}, "a", "b", 5, order)
		s.pay(sent{at: "09:02:20", key: "order7/202603100902"}, "a", "b", 5, order)
	}, nil},
	{"no key, within a minute", func(s *scene) {
		s.pay(sent{at: "09:00:00"}, "a", "b", 5, order)
		s.pay(sent{at: "09:00:38"}, "a", "b", 5, order)
	}, []string{"NO_KEY suspected T2"}},
	{"no key, after an error", func(s *scene) {
		s.pay(sent{at: "09:00:00", status: 504}, "a", "b", 5, order)
		s.pay(sent{at: "09:05:38"}, "a", "b", 5, order)
	}, []string{"NO_KEY probable T2"}},
	{"no key, after more than a minute", func(s *scene) {
		s.pay(sent{at: "09:00:00"}, "a", "b", 5, order)
		s.pay(sent{at: "09:01:38"}, "a", "b", 5, order)
	}, nil},
	{"no key, a reference that many use", func(s *scene) {
		for i := range 6 {
			s.pay(sent{at: fmt.Sprintf("08:%02d:00", i)}, fmt.Sprint("p", i), "b", 5, `"ref":"menu-2"`)
		}
		s.pay(sent{at: "09:00:00"}, "a", "b", 5, `"ref":"menu-2"`)
		s.pay(sent{at: "09:00:38"}, "a", "b", 5, `"ref":"menu-2"`)
	}, nil},
	{"two doors", func(s *scene) {
		s.pay(sent{at: "09:00:00", endpoint: "/checkout", key: "c1", ms: 3000}, "a", "b", 5, order)
		s.pay(sent{at: "09:00:02", endpoint: "/webhooks/psp", client: "psp"}, "a", "b", 5, order)
	}, []string{"TWO_PATHS_OF_ONE_ORDER probable T2"}},
	{"two doors, two orders", func(s *scene) {
		s.pay(sent{at: "09:00:00", endpoint: "/checkout", key: "c1", ms: 3000}, "a", "b", 5, order)
		s.pay(sent{at: "09:00:02", endpoint: "/webhooks/psp", client: "psp"}, "a", "b", 5, `"ref":"order-8"`)
	}, nil},
	{"webhook again", func(s *scene) {
		s.pay(sent{at: "09:00:00", endpoint: "/webhooks/psp"}, "a", "b", 5, `"id":"evt_1",`+order)
		s.pay(sent{at: "11:00:00", endpoint: "/webhooks/psp"}, "a", "b", 5, `"id":"evt_1",`+order)
	}, []string{"WEBHOOK_REDELIVERY probable T2"}},
	{"webhook of another event", func(s *scene) {
		s.pay(sent{at: "09:00:00", endpoint: "/webhooks/psp"}, "a", "b", 5, `"id":"evt_1",`+order)
		s.pay(sent{at: "11:00:00", endpoint: "/webhooks/psp"}, "a", "b", 5, `"id":"evt_2",`+order)
	}, nil},
	{"one key at two endpoints", func(s *scene) {
		s.pay(sent{at: "09:00:00", endpoint: "/v1/charges", key: "k"}, "a", "b", 5, "")
		s.pay(sent{at: "09:00:09", endpoint: "/v2/charges", key: "k"}, "a", "b", 5, "")
	}, []string{"KEY_REUSED_ACROSS_ENDPOINTS probable T2"}},
	{"one key at two endpoints, other money", func(s *scene) {
		s.pay(sent{at: "09:00:00", endpoint: "/v1/charges", key: "k"}, "a", "b", 5, "")
		s.pay(sent{at: "09:00:09", endpoint: "/v1/tips", key: "k"}, "a", "b", 1, "")
	}, nil},
	{"refund twice", func(s *scene) {
		s.pay(sent{at: "09:00:00", endpoint: "/v1/refunds", key: "k1"}, "b", "a", 5, order)
		s.pay(sent{at: "11:00:00", endpoint: "/v1/refunds", key: "k2"}, "b", "a", 5, order)
	}, []string{"DUPLICATE_REFUND_OR_PAYOUT suspected T2"}},
	{"refunds of two orders", func(s *scene) {
		s.pay(sent{at: "09:00:00", endpoint: "/v1/refunds", key: "k1"}, "b", "a", 5, order)
		s.pay(sent{at: "11:00:00", endpoint: "/v1/refunds", key: "k2"}, "b", "a", 5, `"ref":"order-8"`)
	}, nil},
	{"batch again", func(s *scene) { batch(s, 37*time.Minute) }, []string{
		"BATCH_RUN_AGAIN suspected T9 T10 T11 T12 T13 T14 T15 T16"}},
	{"batch by the hour", func(s *scene) { batch(s, 3*time.Hour) }, nil},
	{"batch of the next day", func(s *scene) { batch(s, 24*time.Hour) }, nil},
	{"amount a hundredfold", func(s *scene) {
		for i := range 12 {
			s.pay(sent{at: fmt.Sprintf("09:%02d:00", i), key: fmt.Sprint("k", i)}, "a", fmt.Sprint("b", i), 49, "")
		}
		s.transfers[4].amount = 4900
	}, []string{"AMOUNT_OFF_BY_UNIT probable / T5"}},
	{"all amounts a hundredfold", func(s *scene) {
		for i := range 12 {
			s.pay(sent{at: fmt.Sprintf("09:%02d:00", i), key: fmt.Sprint("k", i)}, "a", fmt.Sprint("b", i), 49, "")
			s.transfers[i].amount = 4900
		}
	}, nil},
	{"a transfer without its request", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, "")
		s.transfers = append(s.transfers, moved{0, moment("09:00:04"), "a", "b", 5, "USD", "", ""})
	}, []string{"PROXY_RETRY suspected T2"}},
	{"a transfer without its request, of another account", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, "")
		s.transfers = append(s.transfers, moved{0, moment("09:00:04"), "a", "c", 5, "USD", "", ""})
	}, nil},
	{"a transfer without its request, but with its key", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, "")
		s.transfers = append(s.transfers, moved{0, moment("09:30:04"), "a", "b", 5, "USD", "k", ""})
	}, []string{"PROXY_RETRY certain T2"}},
	{"a transfer of a lost request, under its key", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, "")
		s.transfers = append(s.transfers, moved{77, moment("09:30:04"), "a", "b", 5, "USD", "k", ""})
	}, []string{"SAME_KEY_EXECUTED_TWICE probable T2"}},
	{"a transfer of a lost request", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, "")
		s.transfers = append(s.transfers, moved{77, moment("09:00:04"), "a", "b", 5, "USD", "", ""})
	}, nil},
	{"a transfer without its request, of a known order", func(s *scene) {
		s.pay(sent{at: "09:00:00", key: "k"}, "a", "b", 5, "")
		s.pay(sent{at: "09:01:00", key: "l"}, "a", "b", 5, "")
		s.transfers[1].seq = 0
		s.transfers[1].key = ""
	}, nil},
	{"a ledger alone", func(s *scene) {
		for _, at := range []string{"09:00:00", "10:00:00"} {
			s.transfers = append(s.transfers, moved{0, moment(at), "a", "b", 5, "USD", "k", ""})
		}
		s.transfers = append(s.transfers, moved{0, moment("11:00:00"), "a", "b", 5, "USD", "", ""})
	}, []string{"SAME_KEY_EXECUTED_TWICE probable T2"}},
}

// Each class by an incident of its kind, and by one that only just is none.
func TestClasses(t *testing.T) {
	for _, c := range scenes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var s scene
			c.make(&s)
			got := outcome(find(t, s.open(t), analysis.Filter{}))
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// batch is eight payments, and the same again after a while.
func batch(s *scene, lag time.Duration) {
	for run := range 2 {
		for i := range 8 {
			at := moment("09:00:00").Add(time.Duration(run)*lag + time.Duration(i)*7*time.Second)
			s.pay(sent{at: at.Format("2006-01-02T15:04:05"), key: fmt.Sprintf("run%d-%c", run, 'a'+i), client: "payroll"}, "firm", fmt.Sprint("p", i), 3000, "")
		}
	}
}

// Every class is met by a test: here, or among the labelled incidents.
func TestEveryClassHasAnIncident(t *testing.T) {
	seen := map[findings.Class]bool{
		// Of those that accuse nobody c07, c08, c12 and c20 are the incidents.
		findings.KeyReusedAcrossEndpoints: true, findings.KeyCollisionAcrossClients: true,
		findings.ReplayedErrorThenNewKey: true, findings.NotADuplicate: true,
	}
	var s scene
	for i := range 3 {
		s.pay(sent{at: fmt.Sprintf("09:%02d:00", i), key: fmt.Sprint("k", i)}, "a", fmt.Sprint("b", i), 49, "")
		s.transfers[i].amount = 4900
	}
	r := find(t, s.open(t), analysis.Filter{})
	if len(r.Findings) != 1 || r.Findings[0].Class != findings.ImportUnitTrap || r.Findings[0].Cause.Rows != 3 {
		t.Errorf("an import in the wrong unit gives %+v", r.Findings)
	}
	if n := len(findings.Classes()); n != 23 || len(seen) != 4 {
		t.Errorf("%d classes", n)
	}
}
