import { readConfig } from '../src/base/config/config.js';
import { OperatorClient } from '../src/operator/client/operator-client.js';
import type { auditActs } from '../src/operator/audit/audit.acts.js';
import type { jobActs } from '../src/operator/network/job.acts.js';
import type { recoveryActs } from '../src/operator/network/recovery.acts.js';
import type { accountActs } from '../src/operator/people/account.acts.js';
import type { applicationActs } from '../src/operator/people/application.acts.js';
import type { impactActs } from '../src/operator/people/impact.acts.js';

type Rows =
  | typeof accountActs
  | typeof applicationActs
  | typeof auditActs
  | typeof impactActs
  | typeof jobActs
  | typeof recoveryActs;

/** Acts of an operator with the shared token of a network. */
export const operatorOf = (settings: NodeJS.ProcessEnv) =>
  new OperatorClient(readConfig(settings), 'benchmark').of<Rows>();
