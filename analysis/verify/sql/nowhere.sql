-- Proves: each transfer leaves one account and reaches another that is there, so
-- that what one loses in a currency another gains. Ids compare by their text.
WITH known AS MATERIALIZED (SELECT CAST(acct_id AS TEXT) COLLATE BINARY AS id FROM account),
     moved AS (SELECT transfer_id, CAST(src AS TEXT) COLLATE BINARY AS src, CAST(dst AS TEXT) COLLATE BINARY AS dst, amount FROM transfer)
SELECT CAST(t.transfer_id AS TEXT),
       CASE WHEN t.src IS t.dst THEN 'it goes from an account to itself'
            WHEN s.id IS NULL THEN 'the account it leaves is not there'
            WHEN d.id IS NULL THEN 'the account it reaches is not there'
            ELSE 'its amount is not above zero' END
FROM moved t
LEFT JOIN known s ON s.id = t.src
LEFT JOIN known d ON d.id = t.dst
WHERE s.id IS NULL OR d.id IS NULL OR t.src IS t.dst OR NOT CAST(t.amount AS INTEGER) > 0
ORDER BY t.transfer_id
