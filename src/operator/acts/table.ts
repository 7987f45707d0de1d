import { accountActs } from './account.acts.js';
import type { Act } from './act.js';
import { applicationActs } from './application.acts.js';
import { auditActs } from './audit.acts.js';
import { backupActs } from './backup.acts.js';
import { caseActs } from './case.acts.js';
import { jobActs } from './job.acts.js';
import { networkActs } from './network.acts.js';
import { operatorActs } from './operator.acts.js';
import { postActs } from './post.acts.js';
import { recoveryActs } from './recovery.acts.js';

/** Every operator's act, once. docs/operator-acts.md publishes it. */
export const actTable: readonly Act[] = [
  ...accountActs,
  ...applicationActs,
  ...postActs,
  ...caseActs,
  ...auditActs,
  ...networkActs,
  ...jobActs,
  ...recoveryActs,
  ...backupActs,
  ...operatorActs,
];

const byRoute = new Map(actTable.map((row) => [`${row.method} ${row.path}`, row]));

/** The row of a route; a server answers HEAD as it answers GET. Undefined: none. */
export function actOfRoute(method: string, path: string | undefined): Act | undefined {
  return byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${path ?? ''}`);
}
