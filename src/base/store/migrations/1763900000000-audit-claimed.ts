import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lowest version of the audit's projection whose rows tell an operator from a claimed name. */
const VERSION = 3_000;

const tables = 'audit.event, audit.about, audit.app_hour, audit.app_actor_hour, audit.app_actor';

/**
 * Empties the audit, which the worker fills again from the log: an operator's rows had claimed names among them. A reason
 * gets an index.
 */
export class AddAuditClaimed1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The checkpoint first, as the group's worker locks it. A worker of an earlier release then finds tables of a later
    // version, and leaves them: it would fill them with its own rows.
    await runner.query(
      `UPDATE recovery.checkpoint SET versions = $1, applied_position = NULL, applied_event_id = NULL
      WHERE group_name = 'audit'`,
      [{ audit: VERSION }],
    );
    await runner.query(`
      TRUNCATE ${tables};
      ALTER TABLE audit.about DROP CONSTRAINT about_kind_check;
      ALTER TABLE audit.about ADD CONSTRAINT about_kind_check
        CHECK (kind IN ('actor', 'post', 'app', 'grant', 'operator', 'claimed'));
      -- The reason of a restore has any length, and an entry of an index has not.
      CREATE INDEX event_by_reason ON audit.event ((left(reason, 500) COLLATE "C"), at, position)
        WHERE reason IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM recovery.checkpoint WHERE group_name = 'audit';
      TRUNCATE ${tables};
      DROP INDEX audit.event_by_reason;
      ALTER TABLE audit.about DROP CONSTRAINT about_kind_check;
      ALTER TABLE audit.about ADD CONSTRAINT about_kind_check
        CHECK (kind IN ('actor', 'post', 'app', 'grant', 'operator'))`);
  }
}

export const auditClaimedMigrations = [AddAuditClaimed1763900000000];
