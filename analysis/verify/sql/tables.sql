-- Proves: which of this program's tables the file has.
SELECT name FROM sqlite_schema WHERE type = 'table'
