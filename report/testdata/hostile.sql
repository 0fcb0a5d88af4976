-- A small day with one of everything that a report tells. HOSTILE is replaced.
CREATE TABLE account (acct_id, holder, balance);
CREATE TABLE req_log (seq INTEGER PRIMARY KEY, received_at, client_id, endpoint, idem_key, body, duration_ms, status);
CREATE TABLE transfer_v1 (transfer_id, seq, idem_key, src, dst, amount, currency, created_at);
INSERT INTO account VALUES ('a|<b>', 'A', 1000000), (7, 'B', 1000000), ('c', 'C', 50), ('bad', 'D', 'much');
INSERT INTO req_log VALUES
  (1, '2026-03-10T09:00:00Z', 'cl|ient', '/v1/t', 'HOSTILE', '{"src":"a|<b>","dst":7,"amount":1000,"currency":"KRW"}', 100, 201),
  (2, '2026-03-10T09:00:05Z', 'cl|ient', '/v1/t', 'HOSTILE', '{"amount":1000,"dst":7,"src":"a|<b>","currency":"KRW"}', 100, 201),
  (3, '2026-03-10T09:00:05.050Z', 'shop', '/v1/t', 'usd', '{"src":7,"dst":"c","amount":4999,"currency":"USD"}', 5000, 201),
  (4, '2026-03-10T09:00:06Z', 'shop', '/v1/t', 'usd', '{"src":7,"dst":"c","amount":4999,"currency":"USD"}', 100, 201),
  (5, '2026-03-10T09:00:12Z', 'shop', '/v1/t', 'usd', '{"src":7,"dst":"c","amount":5000,"currency":"USD"}', 100, 201),
  (6, '2026-03-10T09:00:13Z', 'shop', '/v1/t', 'usd-2', '{"src":7,"dst":"c","amount":4999,"currency":"USD"}', 100, 201),
  (7, '2026-03-10T09:00:14Z', 'shop', '/v1/t', NULL, '{"src":7,"dst":"c","amount":1,"currency":"KRW"}', 100, 201),
  (8, '2026-03-10T09:00:15Z', 'shop', '/v1/t', 'broken', 'no json', 100, 201),
  (9, '2026-03-10T09:00:14Z', 'shop', '/v1/t', 'back', '{"src":"c","dst":7,"amount":99999999,"currency":"KRW"}', 100, 201),
  (10, 'not a time', 'shop', '/v1/t', 'err', '{"src":"c","dst":7,"amount":1,"currency":"KRW"}', 100, 500),
  (11, '2026-03-10T10:00:00Z', 'shop', '/v1/t', 'usd', '{"src":7,"dst":"c","amount":4999,"currency":"USD"}', 100, 201);
INSERT INTO transfer_v1 VALUES
  ('t1', 1, 'HOSTILE', 'a|<b>', 7, 1000, 'KRW', '2026-03-10T09:00:00.1Z'),
  ('t|2', 2, 'HOSTILE', 'a|<b>', 7, 1000, 'KRW', '2026-03-10T09:00:05.1Z'),
  ('t3', 3, 'usd', 7, 'c', 4999, 'USD', '2026-03-10T09:00:05.5Z'),
  ('t4', 4, 'usd', 7, 'c', 4999, 'USD', '2026-03-10T09:00:06.5Z'),
  ('t5', 5, 'usd', 7, 'c', 5000, 'USD', '2026-03-10T09:00:12.5Z'),
  ('t6', 6, 'other', 7, 'c', 4999, 'USD', '2026-03-10T09:00:13.5Z'),
  ('t7', 7, NULL, 7, 'c', 1, 'KRW', '2026-03-10T09:00:14.5Z'),
  ('t9', 9, 'back', 'c', 7, 99999999, 'KRW', '2026-03-10T09:00:15.5Z'),
  ('t10', 99, 'lost|', 'c', 7, 12, 'KRW', '2026-03-10T09:00:16Z'),
  ('t11', 11, 'usd', 7, 'c', 4999, 'USD', '2026-03-10T10:00:00.1Z'),
  ('t12', 1, 'HOSTILE', 'c', 7, 'many|', 'KRW', '2026-03-10T09:00:16Z');
