import { expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freePort } from '../../launch/free-port.js';
import { waitForCases } from './wait-for-cases.js';

it('does not wait for a read store that is away: the act is recorded', async () => {
  const pool = new Pool({ host: '127.0.0.1', port: await freePort() });
  await expect(waitForCases(pool, 1n)).resolves.toBeUndefined();
  await pool.end();
});
