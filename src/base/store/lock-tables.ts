import type { QueryRunner } from 'typeorm';

/**
 * Locks tables against all use until the end of the transaction. A backup reads some of them for as long as it takes, and
 * the release before uses all: so this waits for at most 300 ms at a time, and holds none between its tries.
 */
export async function lockTables(runner: QueryRunner, ...tables: readonly string[]): Promise<void> {
  await runner.query(`
    SET LOCAL lock_timeout = '300ms';
    DO $$ BEGIN
      LOOP
        BEGIN
          LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE;
          RETURN;
        EXCEPTION WHEN lock_not_available THEN
          PERFORM pg_sleep(1);
        END;
      END LOOP;
    END $$;
    SET LOCAL lock_timeout TO DEFAULT`);
}
