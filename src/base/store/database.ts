import { authorityEntities, authorityMigrations } from './authority/index.js';
import { recoveryMigrations } from './migrations/1763690000000-recovery.js';
import { outstandingWriteMigrations } from './migrations/1763700000000-outstanding-writes.js';
import { limitMigrations } from './migrations/1763720000000-limits.js';
import { auditMigrations } from './migrations/1763760000000-audit.js';
import { caseMigrations } from './migrations/1763890000000-cases.js';
import { caseUrgencyMigrations } from './migrations/1763902000000-case-urgency.js';
import { caseUrgencyAnewMigrations } from './migrations/1763903000000-case-urgency-anew.js';
import { cursorMigrations } from './migrations/1763780000000-cursors.js';
import { jobMigrations } from './migrations/1763810000000-jobs.js';
import { buildMigrations } from './migrations/1763805000000-builds.js';
import { heartbeatMigrations } from './migrations/1763820000000-heartbeats.js';
import { caughtUpMigrations } from './migrations/1763860000000-caught-up.js';
import { outstandingRestrictionMigrations } from './migrations/1763870000000-outstanding-restrictions.js';
import { auditEventIdMigrations } from './migrations/1763897000000-audit-event-id.js';
import { auditClaimedMigrations } from './migrations/1763900000000-audit-claimed.js';
import { sampleMigrations } from './migrations/1763896000000-samples.js';
import { asOfMigrations } from './migrations/1763899000000-as-of.js';
import { forgetLostSchemas, recordAuthorityMigrations } from './lost-schemas.js';
import { auditSearchMigrations } from './migrations/1763881800000-audit-search.js';
import { auditCauseMigrations } from './migrations/1763891000001-audit-cause.js';
import { openPostgres } from './postgres.js';
import type { Postgres } from './postgres.js';

/** The read store beside the incarnations. Its content comes from the log, so a lost schema is created again. */
const derived = {
  recovery: [
    ...recoveryMigrations,
    ...outstandingWriteMigrations,
    ...cursorMigrations,
    ...jobMigrations,
    ...buildMigrations,
    ...heartbeatMigrations,
    ...caughtUpMigrations,
    ...outstandingRestrictionMigrations,
    ...asOfMigrations,
  ],
  limits: limitMigrations,
  audit: [
    ...auditMigrations,
    ...auditSearchMigrations,
    ...auditCauseMigrations,
    ...auditEventIdMigrations,
    ...auditClaimedMigrations,
  ],
  telemetry: sampleMigrations,
  cases: [...caseMigrations, ...caseUrgencyMigrations, ...caseUrgencyAnewMigrations],
};

export function openReadStore(options: {
  readonly url: string;
  readonly applicationName: string;
  readonly maxConnections: number;
  readonly queryTimeoutMs?: number;
}): Promise<Postgres> {
  const connection = { connectionString: options.url, application_name: options.applicationName };
  return openPostgres({
    ...options,
    entities: authorityEntities,
    migrations: [...authorityMigrations, ...Object.values(derived).flat()],
    beforeMigrations: () => forgetLostSchemas(connection, derived),
    afterMigrations: (client) => recordAuthorityMigrations(client, authorityMigrations),
  });
}
