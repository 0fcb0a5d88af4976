-- Proves: a ledger of someone else's can be written as it stands: account and
-- transfer are tables, and transfer asks for nothing that this store does not give.
SELECT name || ' is a ' || type FROM sqlite_schema
WHERE lower(name) IN ('account', 'transfer') AND type <> 'table'
UNION ALL
SELECT 'transfer.' || name || ' must be given and is not known' FROM pragma_table_info('transfer')
WHERE "notnull" AND dflt_value IS NULL
  AND lower(name) NOT IN ('transfer_id', 'src', 'dst', 'amount', 'currency', 'created_at')
LIMIT 1
