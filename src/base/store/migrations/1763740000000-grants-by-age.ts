import type { MigrationInterface, QueryRunner } from 'typeorm';

export class IndexGrantsByAge1763740000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX app_grant_of_application ON authority.app_grant (app_id, issued_at, grant_id) WHERE revoked_at IS NULL;
      CREATE INDEX app_grant_of_actor ON authority.app_grant (actor_id, issued_at, grant_id) WHERE revoked_at IS NULL;
      DROP INDEX authority.app_grant_live, authority.app_grant_actor;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX app_grant_live ON authority.app_grant (app_id, grant_id) WHERE revoked_at IS NULL;
      CREATE INDEX app_grant_actor ON authority.app_grant (actor_id, app_id);
      DROP INDEX authority.app_grant_of_application, authority.app_grant_of_actor;
    `);
  }
}
