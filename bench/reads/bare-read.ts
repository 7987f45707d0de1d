import type { Pool } from 'pg';
import { admittedReadSql, admissionParameters } from '../../src/doors/api/admission/admission-sql.js';
import { credentialHash } from '../../src/base/store/authority/credential-hash.js';
import { published } from '../published.js';
import type { BareRead } from './bare-server.js';
import type { ReadCase } from './cases.js';

/** The final SQL of a read of the holder of this token, and its values. */
export async function admittedRead(
  pool: Pool,
  token: string,
  { query, values }: Pick<ReadCase, 'query' | 'values'>,
): Promise<{ readonly text: string; readonly values: readonly unknown[] }> {
  const state = await published(pool);
  const admission = admissionParameters({
    tokenHash: credentialHash(token),
    now: Date.now(),
    incarnation: state.incarnation,
    scope: 'read',
    minPosition: null,
  });
  return { text: admittedReadSql(state.schemaName, query), values: [...admission, ...values] };
}

export async function bareRead(pool: Pool, token: string, read: ReadCase): Promise<BareRead> {
  const { text, values } = await admittedRead(pool, token, read);
  return {
    name: read.name,
    path: read.path,
    text,
    values: values.map((value) => (Buffer.isBuffer(value) ? { base64: value.toString('base64') } : value)),
  };
}
