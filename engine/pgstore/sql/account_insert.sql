-- Proves: an account is opened once, as PRIMARY KEY says. No row written means
-- that another transaction opened it.
INSERT INTO account (acct_id, is_integer, holder, balance) VALUES ($1, $2, $3, $4)
ON CONFLICT (acct_id) DO NOTHING
