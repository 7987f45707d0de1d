import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A disclosure names events by id. */
export class IndexAuditEventId1763897000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX event_by_id ON audit.event (event_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX audit.event_by_id');
  }
}

export const auditEventIdMigrations = [IndexAuditEventId1763897000000];
