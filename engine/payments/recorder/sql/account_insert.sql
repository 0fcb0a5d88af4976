-- The balance before the first request. A file that is opened again keeps it.
INSERT INTO account (acct_id, holder, balance) VALUES (?, ?, ?) ON CONFLICT DO NOTHING;
