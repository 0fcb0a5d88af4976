package ingest

import (
	"fmt"

	"idem/analysis/ingest/money"
	"idem/analysis/sqlfile"
)

// evidence is how many joined transfers one currency has whose amount is that of
// the body, times a power of ten.
type evidence struct {
	currency string
	times    [4]int64 // 1, 10, 100, 1000
}

// settleUnits lets the ledger say whether amounts in bodies are minor units,
// where neither flag nor mapping did.
func (im *importer) settleUnits() error {
	if !im.openUnits {
		return nil
	}
	var all []evidence
	err := im.store.each(`SELECT t.currency, sum(t.amount = t.asked), sum(t.amount = t.asked * 10), sum(t.amount = t.asked * 100), sum(t.amount = t.asked * 1000)
	  FROM (SELECT t.currency, t.amount, CAST(json_extract(r.body, '$.amount') AS INTEGER) AS asked
	        FROM transfer_v1 t JOIN req_log r ON r.seq = t.seq
	        WHERE r.kind = 'payment' LIMIT 10000) t
	  GROUP BY t.currency`, func(row *sqlfile.Stmt) {
		e := evidence{currency: row.String(0)}
		for i := range e.times {
			e.times[i] = row.Int(i + 1)
		}
		all = append(all, e)
	})
	if err != nil {
		return fmt.Errorf("compare amounts: %w", err)
	}
	return judgeUnits(all, im.body.Exponents)
}

// judgeUnits: currencies without decimals say nothing. A few amounts that are
// off do not outweigh the rest; they are what an investigation looks for.
func judgeUnits(all []evidence, exponents money.Exceptions) error {
	var minor, major int64
	for _, e := range all {
		exponent, err := exponents.Exponent(e.currency)
		if err != nil || exponent == 0 || exponent >= len(e.times) {
			continue
		}
		minor += e.times[0]
		major += e.times[exponent]
	}
	switch {
	case minor > 0 && major <= minor/10:
		return nil
	case major > 0:
		return unsettled("--body-amount-unit", "amounts in bodies could be major units: %d transfers moved that many whole units, %d that many minor units", major, minor)
	}
	return unsettled("--body-amount-unit", "amounts in bodies could be minor or major units, and no joined transfer shows which")
}

// completeBodies gives the requests whose body is not in the log the one that
// the ledger shows, and the same to every other send of that key: only so can
// an access log be replayed.
func (im *importer) completeBodies() error {
	if !im.store.bodiless {
		return nil
	}
	return im.store.exec(`
	CREATE TEMP TABLE moved AS
	  SELECT seq, src, dst, amount, currency FROM (
	    SELECT t.seq, t.src, t.dst, t.amount, t.currency, row_number() OVER (PARTITION BY t.seq ORDER BY t.at_ns, t.transfer_id) AS n
	    FROM transfer_v1 t JOIN req_log r ON r.seq = t.seq AND r.body_from = 'none')
	  WHERE n = 1;
	UPDATE req_log SET kind = 'payment', body_from = 'ledger', body = json_object('src', m.src, 'dst', m.dst, 'amount', m.amount, 'currency', m.currency)
	  FROM moved m WHERE m.seq = req_log.seq;
	DROP TABLE moved;
	CREATE TEMP TABLE keyed AS
	  SELECT client_id, endpoint, idem_key, body, min(seq) AS seq FROM req_log
	  WHERE body_from = 'ledger' AND idem_key IS NOT NULL GROUP BY 1, 2, 3;
	CREATE INDEX temp.by_key ON keyed (idem_key, client_id, endpoint);
	UPDATE req_log SET kind = 'payment', body_from = 'key', body = k.body
	  FROM keyed k WHERE req_log.body_from = 'none' AND k.idem_key = req_log.idem_key AND k.client_id = req_log.client_id AND k.endpoint = req_log.endpoint;
	DROP TABLE keyed;
	INSERT INTO tally SELECT body ->> '$.src', sum(body ->> '$.amount'), 0 FROM req_log WHERE body_from = 'key' GROUP BY 1
	  ON CONFLICT DO UPDATE SET asked = asked + excluded.asked`)
}
