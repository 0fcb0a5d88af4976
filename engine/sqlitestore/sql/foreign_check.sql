-- Proves: a ledger of someone else's can be written as it stands: account and
-- transfer are tables, and transfer asks for nothing that this store does not give.
-- A primary key without an index is the row's own number, which SQLite gives.
SELECT name || ' is a ' || type FROM sqlite_schema
WHERE lower(name) IN ('account', 'transfer') AND type = 'view'
UNION ALL
SELECT 'transfer.' || name || ' must be given and is not known' FROM pragma_table_info('transfer')
WHERE "notnull" AND dflt_value IS NULL
  AND lower(name) NOT IN ('transfer_id', 'src', 'dst', 'amount', 'currency', 'created_at')
  AND (pk = 0 OR EXISTS (SELECT 1 FROM pragma_index_list('transfer') WHERE origin = 'pk'))
LIMIT 1
