import type { MigrationInterface, QueryRunner } from 'typeorm';

export class IndexLiveGrants1763730000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX app_grant_live ON authority.app_grant (app_id, grant_id) WHERE revoked_at IS NULL;
      DROP INDEX authority.app_grant_application;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX app_grant_application ON authority.app_grant (app_id);
      DROP INDEX authority.app_grant_live;
    `);
  }
}
