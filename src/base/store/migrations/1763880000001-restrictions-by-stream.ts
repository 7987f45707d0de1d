import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For operators alone: their streams are few and short, and a request is decided by them. */
export class FindRestrictionsOfOperators1763880000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX restriction_of_operator ON restriction ((content #>> '{stream}'))
        WHERE content #>> '{event,type}' LIKE 'operator.%' OR content #>> '{event,type}' = 'network.shared_token_limited'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX restriction_of_operator');
  }
}
