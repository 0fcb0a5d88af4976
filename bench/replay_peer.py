#!/usr/bin/env python3
"""The peer of `idem replay` in `make bench`: the same day through a plain script.

One transaction claims the key, a second one moves the money and completes the
record, as a service would do it by hand: WAL, synchronous NORMAL, no batching.
Prints the requests per second over the first LIMIT requests of the day.

usage: replay_peer.py DAY.db LIMIT
"""
import hashlib
import json
import os
import sqlite3
import sys
import tempfile
import time


def main(day, limit):
    src = sqlite3.connect(f"file:{day}?mode=ro", uri=True)
    with tempfile.TemporaryDirectory() as folder:
        db = sqlite3.connect(os.path.join(folder, "peer.db"), isolation_level=None)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.executescript(
            """
            CREATE TABLE account (acct_id TEXT PRIMARY KEY, balance INTEGER NOT NULL);
            CREATE TABLE transfer (transfer_id TEXT PRIMARY KEY, src TEXT, dst TEXT, amount INTEGER, currency TEXT, created_at TEXT);
            CREATE TABLE record (client_id TEXT, endpoint TEXT, idem_key TEXT, fingerprint TEXT, state TEXT, reply TEXT,
                                 UNIQUE (client_id, endpoint, idem_key));
            """
        )
        db.executemany("INSERT INTO account VALUES (?, ?)", src.execute("SELECT acct_id, balance FROM account"))
        rows = src.execute(
            "SELECT seq, received_at, client_id, endpoint, idem_key, body FROM req_log ORDER BY seq LIMIT ?", (limit,)
        )
        start = time.perf_counter()
        done = sum(1 for row in rows if send(db, row))
        print(f"{limit / (time.perf_counter() - start):.0f} requests/s ({done} executed)")


def send(db, row):
    seq, at, client, endpoint, key, text = row
    body = json.loads(text)
    fingerprint = hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    try:
        db.execute("BEGIN IMMEDIATE")
        db.execute(
            "INSERT INTO record VALUES (?, ?, ?, ?, 'in_progress', NULL)", (client, endpoint, key, fingerprint)
        )
        db.execute("COMMIT")
    except sqlite3.IntegrityError:
        found = db.execute(
            "SELECT fingerprint, state, reply FROM record WHERE client_id=? AND endpoint=? AND idem_key=?",
            (client, endpoint, key),
        ).fetchone()
        db.execute("ROLLBACK")
        assert found
        return False
    db.execute("BEGIN IMMEDIATE")
    amount, src, dst = body["amount"], body["src"], body["dst"]
    db.execute("UPDATE account SET balance = balance - ? WHERE acct_id = ?", (amount, src))
    db.execute("UPDATE account SET balance = balance + ? WHERE acct_id = ?", (amount, dst))
    db.execute("INSERT INTO transfer VALUES (?, ?, ?, ?, ?, ?)", (f"T{seq}", src, dst, amount, body["currency"], at))
    db.execute(
        "UPDATE record SET state = 'completed', reply = ? WHERE client_id=? AND endpoint=? AND idem_key=?",
        (json.dumps({"transfer_id": f"T{seq}"}), client, endpoint, key),
    )
    db.execute("COMMIT")
    return True


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
