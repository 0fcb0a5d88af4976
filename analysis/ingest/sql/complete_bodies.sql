-- Gives a request that moved money, though its body shows no payment, what the
-- ledger shows: the first transfer that it caused. Every other send of its key
-- asks for the same. What was received stays part of the body, so that two sends
-- are equal when what was received is.
CREATE TEMP TABLE moved AS
SELECT seq, src, dst, amount, currency
FROM (
  SELECT t.seq, t.src, t.dst, t.amount, t.currency,
    row_number() OVER (PARTITION BY t.seq ORDER BY t.at_ns, t.transfer_id) AS n
  FROM transfer_v1 t
  JOIN req_log r ON r.seq = t.seq AND r.kind <> 'payment'
)
WHERE n = 1;

CREATE TEMP TABLE keyed AS
SELECT r.client_id, r.endpoint, r.idem_key, m.src, m.dst, m.amount, m.currency, min(r.seq) AS seq
FROM moved m
JOIN req_log r ON r.seq = m.seq
WHERE r.idem_key IS NOT NULL
GROUP BY 1, 2, 3;
CREATE INDEX temp.keyed_by_key ON keyed (idem_key, client_id, endpoint);

CREATE TEMP TABLE completed AS
SELECT seq, 'ledger' AS body_from, src, dst, amount, currency FROM moved
UNION ALL
SELECT r.seq, 'key', k.src, k.dst, k.amount, k.currency
FROM req_log r
JOIN keyed k ON k.idem_key = r.idem_key AND k.client_id = r.client_id AND k.endpoint = r.endpoint
WHERE r.kind <> 'payment' AND r.seq NOT IN (SELECT seq FROM moved);

UPDATE req_log SET
  kind = 'payment',
  body_from = c.body_from,
  body_received = CASE WHEN req_log.body_from = 'none' THEN NULL ELSE ifnull(body_received, body) END,
  body = CASE req_log.body_from
    WHEN 'none' THEN json_object('src', c.src, 'dst', c.dst, 'amount', c.amount, 'currency', c.currency)
    ELSE json_object('src', c.src, 'dst', c.dst, 'amount', c.amount, 'currency', c.currency,
      'received', json(iif(body_received IS NULL, body, body -> '$.received')))
    END
FROM completed c
WHERE c.seq = req_log.seq;

INSERT INTO tally (acct_id, asked, moved)
SELECT src, sum(amount), 0 FROM completed WHERE body_from = 'key' GROUP BY src
ON CONFLICT DO UPDATE SET asked = asked + excluded.asked;

DROP TABLE moved;
DROP TABLE keyed;
DROP TABLE completed;
