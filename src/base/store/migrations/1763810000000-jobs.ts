import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateJobs1763810000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE recovery.incarnation ADD COLUMN retired_at timestamptz;

      CREATE TABLE recovery.job (
        id            uuid PRIMARY KEY,
        kind          text NOT NULL CHECK (kind IN ('rebuild', 'recover', 'rollback')),
        names         text[] NOT NULL,
        reseed_witness boolean NOT NULL DEFAULT false,
        requested_by  text NOT NULL,
        reason        text,
        requested_at  timestamptz NOT NULL,
        state         text NOT NULL CHECK (state IN
          ('requested', 'running', 'paused', 'verifying', 'published', 'failed', 'rolled_back')),
        -- What it builds. Its row is gone once it was dropped.
        incarnation   text,
        step          text,
        done          numeric NOT NULL DEFAULT 0,
        total         numeric,
        rate          double precision,
        message       text,
        updated_at    timestamptz NOT NULL
      );
      CREATE INDEX job_requested ON recovery.job (requested_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE recovery.job; ALTER TABLE recovery.incarnation DROP COLUMN retired_at');
  }
}

export const jobMigrations = [CreateJobs1763810000000];
