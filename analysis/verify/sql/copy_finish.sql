-- Proves: how many transfers stand outside of any key is what the database lists.
UPDATE chain_head SET untied = (SELECT count(*) FROM transfer_outside);
CREATE INDEX account_id ON account (acct_id);
CREATE INDEX account_opened_id ON account_opened (acct_id);
CREATE INDEX transfer_id ON transfer (transfer_id);
CREATE INDEX claim_transfer ON transfer_claim (transfer_id);
CREATE INDEX claim_life ON transfer_claim (life);
CREATE INDEX claim_place ON transfer_claim (n);
ANALYZE;
