-- Proves: what became of each request, in the order of the log, beside the
-- transfer that the engine made for it.
SELECT s.n, s.class, s.status, s.at, s.expired,
       coalesce(t.amount, 0), t.currency, CAST(t.src AS TEXT), CAST(t.dst AS TEXT)
  FROM step s
  LEFT JOIN transfer t ON s.class = 1 AND t.transfer_id = 'T' || s.seq
 ORDER BY s.n
