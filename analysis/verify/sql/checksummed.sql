-- Proves: whether records have a place for a checksum; older versions had none.
SELECT count(*) FROM pragma_table_info('idempotency_key') WHERE name = 'checksum'
