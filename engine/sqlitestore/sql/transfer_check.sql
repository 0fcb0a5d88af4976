-- Proves: a transfer table that was there before is one this store can write.
SELECT transfer_id, src, dst, amount, currency, created_at FROM transfer LIMIT 0
