import { accountActs } from './account.acts.js';
import { consolePathOf } from './act.js';
import type { Act } from './act.js';
import { analyticsActs } from './analytics.acts.js';
import { applicationActs } from './application.acts.js';
import { asOfActs } from './as-of.acts.js';
import { approvalActs } from './approval.acts.js';
import { auditActs } from './audit.acts.js';
import { batchActs } from './batch.acts.js';
import { backupActs } from './backup.acts.js';
import { dossierActs } from './dossier.acts.js';
import { caseActs } from './case.acts.js';
import { exportActs } from './export.acts.js';
import { jobActs } from './job.acts.js';
import { fourEyesActs } from './four-eyes.acts.js';
import { grantActs } from './grant.acts.js';
import { logActs } from './log.acts.js';
import { networkActs } from './network.acts.js';
import { consoleActs } from './console.acts.js';
import { operatorActs } from './operator.acts.js';
import { overviewActs } from './overview.acts.js';
import { passkeyActs } from './passkey.acts.js';
import { postActs } from './post.acts.js';
import { recoveryActs } from './recovery.acts.js';
import { textActs } from './text.acts.js';

/** Every operator's act, once. docs/operator-acts.md publishes it. */
export const actTable: readonly Act[] = [
  ...accountActs,
  ...applicationActs,
  ...grantActs,
  ...postActs,
  ...batchActs,
  ...approvalActs,
  ...fourEyesActs,
  ...dossierActs,
  ...overviewActs,
  ...caseActs,
  ...auditActs,
  ...textActs,
  ...exportActs,
  ...asOfActs,
  ...logActs,
  ...analyticsActs,
  ...networkActs,
  ...jobActs,
  ...recoveryActs,
  ...backupActs,
  ...operatorActs,
  ...passkeyActs,
  ...consoleActs,
];

const byRoute = new Map(
  actTable.flatMap((row) =>
    [row.path, consolePathOf(row)].map((path) => [`${row.method} ${path}`, row] as const),
  ),
);

/** The row of a route; a server answers HEAD as it answers GET. Undefined: none. */
export function actOfRoute(method: string, path: string | undefined): Act | undefined {
  return byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${path ?? ''}`);
}
