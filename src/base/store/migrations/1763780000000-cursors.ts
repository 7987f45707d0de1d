import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The first position of cursors of this incarnation. Positions are equal in every incarnation, so the position alone
 * tells which incarnation issued a cursor.
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
