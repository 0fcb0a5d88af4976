-- Proves: what each account holds, where nobody wrote down how it began.
SELECT CAST(acct_id AS TEXT), balance FROM account
