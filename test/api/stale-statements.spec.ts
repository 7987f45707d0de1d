import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { dropStaleStatements, statementName } from '../../src/doors/api/admission/stale-statements.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';

let postgres: TestPostgres;
let pool: Pool;
let published: string | undefined;

beforeAll(async () => {
  postgres = await startTestPostgres();
  pool = new Pool({ connectionString: await postgres.createDatabase(), max: 1 });
  // Postgres may stop before a closed connection has ended.
  pool.on('error', () => undefined);
  dropStaleStatements(pool, () => published);
});
afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

async function preparedNames(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT name FROM pg_prepared_statements ORDER BY name',
  );
  return rows.map(({ name }) => name);
}

it('a connection drops the prepared statements of an incarnation that is no longer published, and no others', async () => {
  const ask = async (name: string) => pool.query({ name, text: 'SELECT 1' });
  await ask('of-no-incarnation');
  published = 'one';
  await ask(statementName('timeline', 'one'));
  await ask(statementName('inbox', 'one'));
  expect(await preparedNames()).toEqual(['inbox@one', 'of-no-incarnation', 'timeline@one']);
  published = 'two';
  await ask(statementName('timeline', 'two'));
  await ask('of-no-incarnation');
  expect(await preparedNames()).toEqual(['of-no-incarnation', 'timeline@two']);
});
