-- Proves: the balance of one account changes; acct_id is the stored value. The
-- column may have a collation that takes others for equal.
UPDATE account SET balance = ?1 WHERE acct_id = ?2 AND acct_id = ?2 COLLATE BINARY
