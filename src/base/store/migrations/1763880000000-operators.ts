import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOperators1763880000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Hashes are SHA-256 in base64url, as in the events.
    await runner.query(`
      CREATE TABLE authority.operator (
        operator_id           text PRIMARY KEY,
        name                  text NOT NULL DEFAULT '',
        roles                 text[] NOT NULL DEFAULT '{}',
        roles_revision        bigint NOT NULL DEFAULT -1,
        suspended             boolean NOT NULL DEFAULT false,
        suspended_revision    bigint NOT NULL DEFAULT -1,
        invited_at            bigint,
        invitation_hash       text,
        invitation_expires_at bigint,
        enrolled_at           bigint,
        needs_confirmation    boolean NOT NULL DEFAULT false
      );
      CREATE INDEX operator_invitation ON authority.operator (invitation_hash) WHERE invitation_hash IS NOT NULL;

      CREATE TABLE authority.operator_token (
        token_id    text PRIMARY KEY,
        operator_id text NOT NULL,
        token_hash  text,
        label       text NOT NULL DEFAULT '',
        issued_at   bigint,
        expires_at  bigint,
        revoked_at  bigint
      );
      CREATE INDEX operator_token_hash ON authority.operator_token (token_hash);

      CREATE TABLE authority.operator_token_use (
        token_id     text PRIMARY KEY,
        last_used_on date NOT NULL
      );

      CREATE TABLE authority.shared_token (
        network    text PRIMARY KEY CHECK (network = 'this'),
        limited_at bigint NOT NULL
      );

      CREATE TABLE authority.finished_migration (
        name      text PRIMARY KEY,
        timestamp bigint NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE authority.finished_migration, authority.shared_token, authority.operator_token_use,
      authority.operator_token, authority.operator`);
  }
}
