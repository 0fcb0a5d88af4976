-- Proves: accounts compare by the text of their id, whatever the column's type;
-- the index on acct_id is used for each form a text can be stored in. Two rows
-- mean that the ledger has two accounts under one text.
SELECT acct_id, holder, balance
FROM account
WHERE acct_id IN (?1, CAST(?1 AS NUMERIC), CAST(?1 AS BLOB)) AND CAST(acct_id AS TEXT) = ?1 COLLATE BINARY
LIMIT 2
