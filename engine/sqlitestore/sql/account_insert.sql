-- Proves: an account is opened once, as PRIMARY KEY says.
INSERT INTO account (acct_id, holder, balance) VALUES (?, ?, ?)
