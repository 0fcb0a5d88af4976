-- Proves: the balance of one account changes; acct_id is the stored value.
UPDATE account SET balance = ? WHERE acct_id = ?
