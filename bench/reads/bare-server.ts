import { createServer } from 'node:http';
import { Pool } from 'pg';

/** The final SQL of a read at its path, with one caller's values. */
export interface BareRead {
  readonly path: string;
  readonly name: string;
  readonly text: string;
  /** Parameters of the statement; a Buffer is `{base64}`. */
  readonly values: readonly unknown[];
}

/** Floor of an API on Postgres: bare HTTP, one prepared statement a request, its JSON unchanged. */
const [databaseUrl] = process.argv.slice(2);
const pool = new Pool({ connectionString: databaseUrl, max: 16 });
let path = '';
let read = { name: '', text: '', values: [] as unknown[] };

process.on('message', (given: BareRead) => {
  path = given.path;
  read = { name: given.name, text: given.text, values: given.values.map(opened) };
  process.send?.('ready');
});
process.on('disconnect', () => process.exit());

const opened = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'base64' in value
    ? Buffer.from(String(value.base64), 'base64')
    : value;

const server = createServer((request, response) => {
  if (request.url !== path) return void response.writeHead(404).end();
  pool.query<{ data: unknown }>(read).then(
    ({ rows }) => response.setHeader('content-type', 'application/json').end(JSON.stringify(rows[0]?.data)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  process.send?.({ port: address.port });
});
