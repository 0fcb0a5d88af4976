-- The last position that was given out: a file that is opened again goes on.
SELECT coalesce(max(seq), 0) FROM req_log;
