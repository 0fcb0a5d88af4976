-- How many transfers have the amount that the body asks for, and how many have
-- it times 10, 100, 1000: what unit the amounts of the bodies are in.
SELECT currency, sum(amount = asked), sum(amount = asked * 10), sum(amount = asked * 100), sum(amount = asked * 1000)
FROM (
  SELECT t.currency, t.amount, CAST(r.body ->> '$.amount' AS INTEGER) AS asked
  FROM transfer_v1 t
  JOIN req_log r ON r.seq = t.seq
  WHERE r.kind = 'payment'
  LIMIT 10000
)
GROUP BY currency
