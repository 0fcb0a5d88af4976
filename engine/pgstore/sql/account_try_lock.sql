-- Proves: an account that comes before one already held is not waited for, so
-- that two transactions never wait for each other's accounts.
SELECT is_integer, holder, balance FROM account WHERE acct_id = $1 FOR UPDATE NOWAIT
