import { Client } from 'pg';
import { Passwords } from '../../src/doors/auth/passwords.js';
import { callerSql } from '../../src/doors/api/admission/admission-sql.js';
import { credentialHash } from '../../src/base/store/authority/credential-hash.js';
import { atOnce, rounded } from '../load.js';

const PASSWORD = 'a password of a benchmark';

/** Returns the median of sequential verifications of a correct password, and the rate of concurrent ones. */
export async function measureArgon2(
  count: number,
  connections: number,
): Promise<{ readonly perSecond: number; readonly ms: number }> {
  const passwords = new Passwords();
  const known = await passwords.hash(PASSWORD);
  const one = () => passwords.verify(known, PASSWORD);
  const ms = rounded(await medianMs(20, one));
  const { perSecond } = await atOnce(count, connections, one);
  return { perSecond, ms };
}

/** Returns the rate of concurrent hashes, and the CPU of this process for each. */
export async function measureHashes(
  count: number,
  connections: number,
): Promise<{ readonly perSecond: number; readonly cpuMs: number }> {
  const passwords = new Passwords();
  const before = process.cpuUsage();
  const { perSecond } = await atOnce(count, connections, () => passwords.hash(PASSWORD));
  const { user, system } = process.cpuUsage(before);
  return { perSecond, cpuMs: rounded((user + system) / 1_000 / count) };
}

/** Returns the round trip of the prepared admission statement in microseconds. */
export async function measureStatement(databaseUrl: string, accessToken: string): Promise<number> {
  const client = new Client(databaseUrl);
  await client.connect();
  const values = [credentialHash(accessToken), Date.now()];
  const ms = await medianMs(2_000, async () => {
    const { rows } = await client.query({ name: 'admission', text: callerSql(), values });
    if (rows[0]?.token_live !== true) throw new Error('the token is not live');
  });
  await client.end();
  return Math.round(ms * 1000);
}

async function medianMs(times: number, work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < times; n++) {
    const begun = performance.now();
    await work();
    taken.push(performance.now() - begun);
  }
  return taken.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
}
