-- Proves: the ledger has the columns that this store works with; read before
-- anything is written to a file of someone else's.
SELECT acct_id, holder, balance FROM account LIMIT 0
