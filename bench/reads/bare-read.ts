import type { Pool } from 'pg';
import { admittedReadSql, admissionParameters } from '../../src/doors/api/admission/admission-sql.js';
import { readPublicationState } from '../../projections/incarnations/recovery-state.js';
import { credentialHash } from '../../src/base/store/authority/credential-hash.js';
import type { BareRead } from './bare-server.js';
import type { ReadCase } from './cases.js';

export async function bareRead(
  pool: Pool,
  token: string,
  { name, path, query, values }: ReadCase,
): Promise<BareRead> {
  const state = await readPublicationState(pool);
  if (!state) throw new Error('nothing is published');
  const admission = admissionParameters({
    tokenHash: credentialHash(token),
    now: Date.now(),
    incarnation: state.incarnation,
    scope: 'read',
    minPosition: null,
  });
  return {
    name,
    path,
    text: admittedReadSql(state.schemaName, query),
    values: [...admission, ...values].map((value) =>
      Buffer.isBuffer(value) ? { base64: value.toString('base64') } : value,
    ),
  };
}
