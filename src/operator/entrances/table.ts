import { accountActs } from '../people/account.acts.js';
import { consolePathOf } from '../desk/act.js';
import type { Act } from '../desk/act.js';
import { accountExportActs } from '../people/account-export.acts.js';
import { analyticsActs } from '../analytics/analytics.acts.js';
import { applicationActs } from '../people/application.acts.js';
import { applicationUpdateActs } from '../people/application-update.acts.js';
import { asOfActs } from '../as-of/as-of.acts.js';
import { approvalActs } from '../operators/approval.acts.js';
import { auditActs } from '../audit/audit.acts.js';
import { batchActs } from '../people/batch.acts.js';
import { backupActs } from '../network/backup.acts.js';
import { dossierActs } from '../people/dossier.acts.js';
import { caseActs } from '../cases/case.acts.js';
import { impactActs } from '../people/impact.acts.js';
import { exportActs } from '../audit/export.acts.js';
import { jobActs } from '../network/job.acts.js';
import { fourEyesActs } from '../operators/four-eyes.acts.js';
import { grantActs } from '../people/grant.acts.js';
import { logActs } from '../network/log.acts.js';
import { networkActs } from '../network/network.acts.js';
import { nameActs } from '../people/name.acts.js';
import { consoleActs } from '../network/console.acts.js';
import { operatorActs } from '../operators/operator.acts.js';
import { overviewActs } from '../network/overview.acts.js';
import { passkeyActs } from '../operators/passkey.acts.js';
import { postActs } from '../people/post.acts.js';
import { recoveryActs } from '../network/recovery.acts.js';
import { recoveryLinkActs } from '../people/recovery-link.acts.js';
import { textActs } from '../audit/text.acts.js';

const rows = [
  ...accountActs,
  ...recoveryLinkActs,
  ...accountExportActs,
  ...applicationActs,
  ...applicationUpdateActs,
  ...grantActs,
  ...postActs,
  ...batchActs,
  ...approvalActs,
  ...fourEyesActs,
  ...dossierActs,
  ...nameActs,
  ...overviewActs,
  ...caseActs,
  ...auditActs,
  ...impactActs,
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

export type Row = (typeof rows)[number];

/** Every operator's act, once. docs/operator-acts.md publishes it. */
export const actTable: readonly Act[] = rows;

const byRoute = new Map(
  actTable.flatMap((row) =>
    [row.path, consolePathOf(row)].map((path) => [`${row.method} ${path}`, row] as const),
  ),
);

/** The row of a route; a server answers HEAD as it answers GET. Undefined: none. */
export function actOfRoute(method: string, path: string | undefined): Act | undefined {
  return byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${path ?? ''}`);
}
