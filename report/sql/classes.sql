-- Proves: how many requests ended in each class.
SELECT class, count(*) FROM step GROUP BY class ORDER BY class
