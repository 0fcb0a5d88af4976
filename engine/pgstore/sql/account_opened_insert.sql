-- Proves: what an opened account held, for those who check its balance.
INSERT INTO account_opened (acct_id, balance) VALUES ($1, $2)
