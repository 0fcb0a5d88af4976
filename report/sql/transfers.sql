-- Proves: how many transfers the ledger holds and what they sum to, a currency
-- each. SUM over integers fails where it would overflow; it never rounds.
SELECT currency, count(*), sum(amount) FROM transfer GROUP BY currency ORDER BY currency
