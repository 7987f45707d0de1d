import type { Pool } from 'pg';
import { casesPosition } from '../../../projections/cases/cases.read-model.js';
import { permissionsOf, roles } from '../../domain/operator/roles.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import { sleep } from '../../support/sleep.js';

/** The queue may lag this long before an act answers all the same. */
const WAIT_MS = 3_000;
const POLL_MS = 20;

/** Waits until the queue shows the event at this position, so that an operator who lists it next sees the act. */
export async function waitForCases(pool: Pool, position: bigint): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while ((await casesPosition(pool)) < position && performance.now() < deadline) await sleep(POLL_MS);
}

const deciding = roles.filter((role) => permissionsOf[role].includes('cases.decide'));

/** Tells whether an active operator other than this one may rule on an appeal. */
export async function otherDeciders(store: AuthorityStore): Promise<(operatorId: string | null) => boolean> {
  const rows = await store.db.query<{ operator_id: string }[]>(
    `SELECT operator_id FROM authority.operator
    WHERE enrolled_at IS NOT NULL AND NOT suspended AND roles && $1::text[] LIMIT 2`,
    [deciding],
  );
  return (operatorId) => rows.some(({ operator_id: id }) => id !== operatorId);
}
