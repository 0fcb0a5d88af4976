-- Proves: a copy takes what a database of any store holds, damage included: no
-- constraint here stands in for one that was taken out there.
CREATE TABLE account (acct_id, balance);
CREATE TABLE account_opened (acct_id, balance);
CREATE TABLE transfer (transfer_id, src, dst, amount, currency, created_at);
CREATE TABLE transfer_outside (transfer_id);
CREATE TABLE transfer_claim (life, fence, transfer_id, n, hash);
CREATE TABLE idempotency_key (client_id, endpoint, idem_key, state, fingerprint, life, fence, attempt, claimed_at, lease_until,
  completed_at, status, reason, header, body, not_kept, checksum);
CREATE TABLE fence_counter (one, last);
CREATE TABLE chain_head (one, n, hash, untied);
