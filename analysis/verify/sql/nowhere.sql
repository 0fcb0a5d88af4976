-- Proves: each transfer leaves one account and reaches another that is there, so
-- that what one loses in a currency another gains.
SELECT CAST(t.transfer_id AS TEXT),
       CASE WHEN t.src IS t.dst THEN 'it goes from an account to itself'
            WHEN s.acct_id IS NULL THEN 'the account it leaves is not there'
            WHEN d.acct_id IS NULL THEN 'the account it reaches is not there'
            ELSE 'its amount is not above zero' END
FROM transfer t
LEFT JOIN account s ON s.acct_id = t.src
LEFT JOIN account d ON d.acct_id = t.dst
WHERE s.acct_id IS NULL OR d.acct_id IS NULL OR t.src IS t.dst OR NOT t.amount > 0
ORDER BY t.transfer_id
