// Loads two CSV files into a new DuckDB database: node import_peer.mjs MODULES OUT REQUESTS TRANSFERS
import { createRequire } from 'node:module';
const [modules, out, requests, transfers] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(modules + '/')('@duckdb/node-api');
const db = await DuckDBInstance.create(out, { threads: '2' });
const connection = await db.connect();
for (const [table, file] of [['req_log', requests], ['transfer_v1', transfers]]) {
  await connection.run(`CREATE TABLE ${table} AS SELECT * FROM read_csv('${file}', header = true)`);
}
await connection.run('CHECKPOINT');
const rows = await connection.runAndReadAll('SELECT (SELECT count(*) FROM req_log) + (SELECT count(*) FROM transfer_v1)');
console.log(String(rows.getRows()[0][0]));
connection.closeSync();
