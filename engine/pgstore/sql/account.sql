-- Proves: an account is found by the text of its id; 7 and '7' are one account.
SELECT is_integer, holder, balance FROM account WHERE acct_id = $1
