-- Proves: a balance that a transaction was told stays until it has ended.
SELECT is_integer, holder, balance FROM account WHERE acct_id = $1 FOR UPDATE
