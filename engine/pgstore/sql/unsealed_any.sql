-- Proves: whether there is anything to seal, without a lock or a write.
SELECT EXISTS (SELECT 1 FROM transfer_claim WHERE place IS NULL)
