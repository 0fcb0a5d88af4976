-- What every payment asks for, to be found by its parties and amount.
CREATE TEMP TABLE asked AS
SELECT seq, at_ns, body ->> '$.amount' AS amount, body ->> '$.currency' AS currency,
  body ->> '$.src' AS src, body ->> '$.dst' AS dst
FROM req_log
WHERE kind = 'payment';
CREATE INDEX temp.asked_by_payment ON asked (src, dst, amount, currency, at_ns);
