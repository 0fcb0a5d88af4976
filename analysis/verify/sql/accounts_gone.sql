-- Proves: an account that was opened is still there.
SELECT CAST(o.acct_id AS TEXT) FROM account_opened o
WHERE NOT EXISTS (SELECT 1 FROM account a WHERE a.acct_id = o.acct_id)
