-- Proves: the balance of one account, which is locked, changes.
UPDATE account SET balance = $2 WHERE acct_id = $1
