import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePasskeys1763895000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Challenges and sessions are here and not in memory: several API processes stand behind one address. Of a session
    // and of the holder of a challenge only the SHA-256 is stored.
    await runner.query(`
      CREATE TABLE authority.operator_passkey (
        passkey_id    text PRIMARY KEY,
        operator_id   text NOT NULL,
        credential_id text,
        public_key    text,
        transports    text[] NOT NULL DEFAULT '{}',
        label         text NOT NULL DEFAULT '',
        registered_at bigint,
        removed_at    bigint
      );
      CREATE INDEX operator_passkey_credential ON authority.operator_passkey (credential_id);
      CREATE INDEX operator_passkey_operator ON authority.operator_passkey (operator_id);

      CREATE TABLE authority.operator_passkey_use (
        passkey_id   text PRIMARY KEY,
        last_used_on date NOT NULL,
        sign_count   bigint NOT NULL
      );

      CREATE TABLE authority.operator_challenge (
        challenge  text PRIMARY KEY,
        holder     text NOT NULL,
        expires_at bigint NOT NULL
      );
      CREATE INDEX operator_challenge_expiry ON authority.operator_challenge (expires_at);

      CREATE TABLE authority.operator_passkey_link (
        code_hash   text PRIMARY KEY,
        operator_id text NOT NULL,
        expires_at  bigint NOT NULL
      );

      CREATE TABLE authority.operator_session (
        session_hash text PRIMARY KEY,
        operator_id  text NOT NULL,
        passkey_id   text NOT NULL,
        signed_in_at bigint NOT NULL,
        used_at      bigint NOT NULL,
        expires_at   bigint NOT NULL
      );
      CREATE INDEX operator_session_operator ON authority.operator_session (operator_id);
      CREATE INDEX operator_session_expiry ON authority.operator_session (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE authority.operator_session, authority.operator_passkey_link,
      authority.operator_challenge, authority.operator_passkey_use, authority.operator_passkey`);
  }
}
