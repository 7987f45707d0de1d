import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateKnownBrowsers1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Only the SHA-256 of a cookie is stored.
    await runner.query(`
      CREATE TABLE authority.known_browser (
        browser_hash    bytea PRIMARY KEY,
        actor_id        text NOT NULL,
        signed_in_at    bigint NOT NULL,
        -- SHA-256 of the hash of the password: the release before changes it and leaves the row.
        password_digest bytea NOT NULL
      );
      CREATE INDEX known_browser_actor ON authority.known_browser (actor_id, signed_in_at);
      CREATE INDEX known_browser_age ON authority.known_browser (signed_in_at);

      CREATE TABLE authority.wrong_password (
        actor_id text NOT NULL,
        day      date NOT NULL,
        tries    integer NOT NULL,
        PRIMARY KEY (actor_id, day)
      );
      CREATE INDEX wrong_password_day ON authority.wrong_password (day)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE authority.wrong_password, authority.known_browser');
  }
}
