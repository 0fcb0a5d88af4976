-- Proves: what each account's transfers make of what it was opened with, beside
-- its balance. The sum stands in two halves, value = high * 2^32 + low, so that
-- money which goes round and round overflows no partial sum.
SELECT CAST(a.acct_id AS TEXT), a.balance, o.balance, coalesce(m.high, 0), coalesce(m.low, 0)
  FROM account a
  LEFT JOIN account_opened o ON o.acct_id = a.acct_id
  LEFT JOIN (
    SELECT acct, sum(amount >> 32) AS high, sum(amount & 0xffffffff) AS low
      FROM (SELECT dst AS acct, amount FROM transfer
            UNION ALL
            SELECT src, -amount FROM transfer)
     GROUP BY acct
  ) m ON m.acct = a.acct_id
