-- Whether the file is a record: its mark, and whether it holds anything yet.
SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id;
