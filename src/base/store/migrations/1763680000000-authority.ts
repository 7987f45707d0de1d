import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAuthority1763680000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA authority;

      CREATE TABLE authority.account (
        actor_id      text PRIMARY KEY,
        handle        text,
        display_name  text NOT NULL,
        email         text NOT NULL,
        state         text NOT NULL CHECK (state IN ('active', 'suspended', 'erased')),
        registered_at bigint NOT NULL,
        revision      bigint NOT NULL
      );

      -- Not unique: who holds a handle is decided in its stream of the log. A second unique key would also make two
      -- writers of the same row fail, whom ON CONFLICT on the first key does not keep apart.
      CREATE INDEX account_handle ON authority.account (handle);

      CREATE TABLE authority.credential (
        actor_id      text PRIMARY KEY,
        password_hash text NOT NULL
      );

      CREATE TABLE authority.application (
        app_id        text PRIMARY KEY,
        name          text NOT NULL,
        redirect_uris text[] NOT NULL,
        scopes        text[] NOT NULL,
        state         text NOT NULL CHECK (state IN ('active', 'suspended')),
        revision      bigint NOT NULL
      );

      CREATE TABLE authority.client_secret (
        app_id        text NOT NULL,
        secret_hash   bytea NOT NULL,
        expires_at    timestamptz,
        PRIMARY KEY (app_id, secret_hash)
      );

      CREATE TABLE authority.app_grant (
        grant_id      text PRIMARY KEY,
        app_id        text NOT NULL,
        actor_id      text NOT NULL,
        scopes        text[] NOT NULL,
        issued_at     bigint NOT NULL,
        revoked_at    bigint
      );
      CREATE INDEX app_grant_actor ON authority.app_grant (actor_id, app_id);
      CREATE INDEX app_grant_application ON authority.app_grant (app_id);

      CREATE TABLE authority.oidc_record (
        kind          text NOT NULL,
        key_hash      bytea NOT NULL,
        grant_id      text,
        uid_hash      bytea,
        payload       jsonb NOT NULL,
        expires_at    timestamptz NOT NULL,
        consumed_at   timestamptz,
        PRIMARY KEY (kind, key_hash)
      );
      CREATE INDEX oidc_record_grant ON authority.oidc_record (grant_id) WHERE grant_id IS NOT NULL;
      CREATE INDEX oidc_record_uid ON authority.oidc_record (kind, uid_hash) WHERE uid_hash IS NOT NULL;
      CREATE INDEX oidc_record_expiry ON authority.oidc_record (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA authority CASCADE');
  }
}
