-- The plain way: number all transfers of the day by scoped key, over the join.
SELECT count(*), sum(amount) FROM (
  SELECT t.amount, ROW_NUMBER() OVER (
           PARTITION BY r.client_id, r.endpoint, r.idem_key
           ORDER BY t.created_at, t.seq, t.transfer_id) AS n
  FROM transfer_v1 t JOIN req_log r ON r.seq = t.seq)
WHERE n > 1;
