import { Client } from 'pg';
import { Passwords } from '../../src/doors/auth/passwords.js';
import { callerSql } from '../../src/doors/api/admission/admission-sql.js';
import { credentialHash } from '../../src/base/store/authority/credential-hash.js';
import { rounded } from '../load.js';

/** Returns the median of sequential verifications of a correct password, and the rate of concurrent ones. */
export async function measureArgon2(
  count: number,
  atOnce: number,
): Promise<{ readonly perSecond: number; readonly ms: number }> {
  const passwords = new Passwords();
  const password = 'a password of a benchmark';
  const known = await passwords.hash(password);
  const one = () => passwords.verify(known, password);
  const ms = rounded(await medianMs(20, one));
  let left = count;
  const worker = async () => {
    while (left-- > 0) await one();
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { perSecond: Math.round((count / (performance.now() - begun)) * 1000), ms };
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
