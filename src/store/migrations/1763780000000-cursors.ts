import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * From which position on a cursor is one of this incarnation: positions are those of the log, the same in every
 * incarnation, so it is the position alone that tells which one a cursor was handed out by.
 */
export class AddCursorsValidFrom1763780000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE recovery.incarnation ADD COLUMN cursors_valid_from numeric NOT NULL DEFAULT 0`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE recovery.incarnation DROP COLUMN cursors_valid_from');
  }
}

export const cursorMigrations = [AddCursorsValidFrom1763780000000];
