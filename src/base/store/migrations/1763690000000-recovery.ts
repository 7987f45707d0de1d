import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateRecovery1763690000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The fillfactor leaves room for the next row version on the same page, since every batch updates these rows.
    await runner.query(`
      CREATE SCHEMA recovery;

      CREATE TABLE recovery.incarnation (
        incarnation         text PRIMARY KEY,
        schema_name         text NOT NULL UNIQUE,
        versions            jsonb NOT NULL,
        applied_position    numeric,
        applied_event_id    uuid,
        witness_epoch       numeric NOT NULL DEFAULT 0,
        stopped_at_position numeric,
        stopped_event_id    uuid,
        stopped_reason      text,
        created_at          timestamptz NOT NULL,
        CHECK ((applied_position IS NULL) = (applied_event_id IS NULL))
      ) WITH (fillfactor = 50);

      CREATE TABLE recovery.publication (
        singleton    boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        incarnation  text NOT NULL REFERENCES recovery.incarnation,
        status       text NOT NULL CHECK (status IN ('serving', 'quarantined')),
        reason       text,
        network_id   text NOT NULL,
        CHECK ((status = 'quarantined') = (reason IS NOT NULL))
      );

      CREATE TABLE recovery.checkpoint (
        group_name          text PRIMARY KEY,
        versions            jsonb NOT NULL,
        applied_position    numeric,
        applied_event_id    uuid,
        stopped_at_position numeric,
        stopped_event_id    uuid,
        stopped_reason      text,
        CHECK ((applied_position IS NULL) = (applied_event_id IS NULL))
      ) WITH (fillfactor = 50);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA recovery CASCADE');
  }
}

export const recoveryMigrations = [CreateRecovery1763690000000];
