-- Proves: a transfer without a tie is one that no key made, and not one whose
-- tie is gone.
INSERT INTO transfer_outside (transfer_id) VALUES ($1)
