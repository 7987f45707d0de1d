import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NoteCaughtUp1763860000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE recovery.heartbeat ADD COLUMN caught_up boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE recovery.heartbeat DROP COLUMN caught_up');
  }
}

export const caughtUpMigrations = [NoteCaughtUp1763860000000];
