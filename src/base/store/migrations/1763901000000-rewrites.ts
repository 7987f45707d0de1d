import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockTables } from '../lock-tables.js';

/**
 * Tables whose files still have bytes of erased data. `rewrite_requested_for` is the `erasure_finished_at` that the
 * rewrites were requested for: the release before finishes erasures without a request.
 */
export class CreateRewrites1763901000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const copied = ['authority.credential', 'authority.oidc_record'];
    await lockTables(runner, ...copied, 'authority.known_browser', 'authority.account');
    // Naming a column's type again drops its statistics.
    await runner.query(`
      ALTER TABLE authority.account ADD COLUMN rewrite_requested_for bigint,
        ALTER handle TYPE text, ALTER display_name TYPE text, ALTER email TYPE text, ALTER website TYPE text;
      CREATE INDEX account_rewrite_not_requested ON authority.account (actor_id) WHERE state = 'erased'
        AND erasure_finished_at IS NOT NULL AND rewrite_requested_for IS DISTINCT FROM erasure_finished_at;
      ALTER TABLE authority.credential ALTER password_hash SET STATISTICS 0, ALTER password_hash TYPE text;
      ALTER TABLE authority.oidc_record ALTER payload SET STATISTICS 0, ALTER payload TYPE jsonb;
      ALTER TABLE authority.known_browser ALTER browser_hash SET STATISTICS 0, ALTER password_digest SET STATISTICS 0;

      CREATE SEQUENCE authority.rewrite_request;
      CREATE TABLE authority.rewrite (
        store          text NOT NULL CHECK (store IN ('read', 'vault')),
        table_name     text NOT NULL,
        request        bigint NOT NULL DEFAULT nextval('authority.rewrite_request'),
        requested_at   timestamptz NOT NULL DEFAULT now(),
        position       numeric NOT NULL,
        done_up_to     bigint NOT NULL DEFAULT 0,
        rewritten_at   timestamptz,
        is_large       boolean NOT NULL DEFAULT false,
        PRIMARY KEY (store, table_name)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE authority.rewrite;
      DROP SEQUENCE authority.rewrite_request;
      ALTER TABLE authority.known_browser ALTER browser_hash SET STATISTICS -1, ALTER password_digest SET STATISTICS -1;
      ALTER TABLE authority.oidc_record ALTER payload SET STATISTICS -1;
      ALTER TABLE authority.credential ALTER password_hash SET STATISTICS -1;
      DROP INDEX authority.account_rewrite_not_requested;
      ALTER TABLE authority.account DROP COLUMN rewrite_requested_for`);
  }
}
