import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { explainScript } from '../../src/doors/api/sql/assembled.js';
import { assembledReads } from '../../src/doors/api/sql/reads.js';
import { root } from '../support/command.js';
import { sharedNetwork } from '../support/shared-network.js';
import { until } from '../support/until.js';

let database: Client;
let incarnation: string;

beforeAll(async () => {
  const network = await sharedNetwork();
  database = new Client({ connectionString: network.env['DATABASE_URL'] });
  await database.connect();
  // A worker publishes it after the start.
  incarnation = await until(async () => {
    const { rows } = await database.query<{ incarnation: string | null }>(
      'SELECT incarnation FROM recovery.publication',
    );
    return rows[0]?.incarnation ?? undefined;
  });
});

afterAll(async () => {
  await database?.end();
});

async function print(...args: string[]): Promise<{ code: unknown; stdout: string }> {
  const child = spawn(process.execPath, [join(root, 'dist/src/doors/api/sql/print.js'), ...args], {
    stdio: 'pipe',
  });
  const [[code], stdout] = await Promise.all([once(child, 'close'), text(child.stdout)]);
  return { code, stdout };
}

async function namesOfQueries(): Promise<string[]> {
  const files = readdirSync(join(root, 'projections'), { recursive: true, encoding: 'utf8' });
  const modules = await Promise.all(
    files
      .filter((file) => file.endsWith('.read-model.ts'))
      .map((file) => import(join('../../projections', file)) as Promise<Record<string, unknown>>),
  );
  return modules
    .flatMap((exported) => Object.values(exported))
    .flatMap((each) => (isQuery(each) ? [each.name] : []));
}

const isQuery = (each: unknown): each is { name: string } =>
  typeof each === 'object' && each !== null && 'name' in each && 'sql' in each;

describe('npm run sql', () => {
  it('knows every read of the read models', async () => {
    const known = Object.values(assembledReads).map(({ queryName }) => queryName);
    expect(known.sort()).toEqual([...new Set(await namesOfQueries())].sort());
  });

  it('lists the reads without a name', async () => {
    const { code, stdout } = await print();
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(lines).toEqual(Object.entries(assembledReads).map(([name, { purpose }]) => [name, purpose]));
  });

  it('lists them for a name that none has, and fails', async () => {
    expect(await print('nothing')).toEqual({ code: 1, stdout: (await print()).stdout });
  });

  it.each(Object.keys(assembledReads))(
    'prints %s with the meaning of each parameter, ready for EXPLAIN',
    async (name) => {
      const { stdout } = await print(name, incarnation);
      const read = assembledReads[name]!;
      const meanings = read.parameters(incarnation).map(({ meaning }) => meaning);
      expect(meanings).not.toContain('');
      for (const [index, meaning] of meanings.entries())
        expect(stdout).toContain(`-- $${index + 1} ${meaning}\n`);
      await database.query('DEALLOCATE ALL');
      const results = (await database.query(stdout)) as unknown as { rows: Record<string, string>[] }[];
      expect(results.at(-1)?.rows.at(-1)?.['QUERY PLAN']).toMatch('Execution Time');
    },
  );

  it('names the place of an incarnation that is not given', () => {
    expect(explainScript(assembledReads['timeline']!)).toMatch(`"inc_INCARNATION".`);
  });
});
