-- Proves: no two records have one token. No two ties have one life, by the primary key.
SELECT 'key ' || max(idem_key) FROM idempotency_key GROUP BY fence HAVING count(*) > 1
