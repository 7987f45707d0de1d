import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAsOf1763899000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // An earlier release that drops the incarnation of a build thereby deletes its row. at: of the event, Unix milliseconds.
    await runner.query(`
      CREATE TABLE recovery.as_of (
        position     numeric PRIMARY KEY,
        event_id     uuid NOT NULL,
        at           bigint NOT NULL,
        requested_by text NOT NULL,
        requested_at timestamptz NOT NULL,
        state        text NOT NULL CHECK (state IN ('requested', 'building', 'built', 'failed')),
        incarnation  text UNIQUE REFERENCES recovery.incarnation ON DELETE CASCADE,
        step         text,
        done         numeric NOT NULL DEFAULT 0,
        total        numeric,
        rate         double precision,
        message      text,
        began_at     timestamptz,
        updated_at   timestamptz NOT NULL
      );
      CREATE UNIQUE INDEX as_of_unfinished ON recovery.as_of ((true)) WHERE state IN ('requested', 'building')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE recovery.as_of');
  }
}

export const asOfMigrations = [CreateAsOf1763899000000];
