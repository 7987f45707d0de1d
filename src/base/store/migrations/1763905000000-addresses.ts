import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockTables } from '../lock-tables.js';

/**
 * Verified addresses, mails to send, and links that set a new password. No foreign key leads to the credentials: a restore
 * by the release before empties that table.
 */
export class CreateAddresses1763905000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await lockTables(runner, 'authority.credential', 'authority.account');
    await runner.query(`
      ALTER TABLE authority.credential ADD COLUMN address_proof text UNIQUE;
      ALTER TABLE authority.credential ALTER address_proof SET STATISTICS 0;
      ALTER TABLE authority.account ADD COLUMN address_revision bigint NOT NULL DEFAULT -1;

      CREATE TABLE authority.mail_request (
        request_id   uuid PRIMARY KEY,
        requested_at bigint NOT NULL,
        due_at       bigint NOT NULL,
        content      text NOT NULL
      );
      CREATE INDEX mail_request_due ON authority.mail_request (due_at);
      CREATE INDEX mail_request_age ON authority.mail_request (requested_at);
      ALTER TABLE authority.mail_request ALTER content SET STATISTICS 0;

      CREATE TABLE authority.recovery_link (
        token_hash           bytea PRIMARY KEY,
        actor_id             text NOT NULL,
        password_fingerprint text NOT NULL,
        address_proof        text NOT NULL,
        expires_at           bigint NOT NULL
      );
      CREATE INDEX recovery_link_actor ON authority.recovery_link (actor_id);
      CREATE INDEX recovery_link_age ON authority.recovery_link (expires_at);
      ALTER TABLE authority.recovery_link ALTER password_fingerprint SET STATISTICS 0,
        ALTER address_proof SET STATISTICS 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE authority.recovery_link, authority.mail_request;
      ALTER TABLE authority.account DROP COLUMN address_revision;
      ALTER TABLE authority.credential DROP COLUMN address_proof`);
  }
}
