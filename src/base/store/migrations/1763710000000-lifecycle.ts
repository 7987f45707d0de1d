import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddLifecycle1763710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE authority.app_grant ADD COLUMN last_used_at bigint;
      ALTER TABLE authority.application ADD COLUMN registered_at bigint,
        ADD COLUMN post_logout_redirect_uris text[] NOT NULL DEFAULT '{}';

      CREATE INDEX oidc_record_session_of ON authority.oidc_record ((payload->>'accountId')) WHERE kind = 'Session';
      CREATE INDEX oidc_record_interaction_of ON authority.oidc_record ((payload->'session'->>'accountId'))
        WHERE kind = 'Interaction';
      CREATE INDEX oidc_record_login_of ON authority.oidc_record ((payload->'result'->'login'->>'accountId'))
        WHERE kind = 'Interaction';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX authority.oidc_record_session_of, authority.oidc_record_interaction_of, authority.oidc_record_login_of;
      ALTER TABLE authority.application DROP COLUMN post_logout_redirect_uris, DROP COLUMN registered_at;
      ALTER TABLE authority.app_grant DROP COLUMN last_used_at;
    `);
  }
}
