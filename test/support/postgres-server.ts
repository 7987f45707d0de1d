/**
 * A Postgres server in a process of its own, for one test worker (postgres.ts). It prints its URL, and stops at the end of
 * its input or at SIGTERM. Its data is removed with the run, for which run.setup.mjs finds it by its id.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { startPostgres } from '../../src/launch/embedded-postgres.js';
import { dataDirWithCluster } from './postgres.js';

const [run = ''] = process.argv.slice(2);
writeFileSync(join(run, `postgres-server-${process.pid}`), '');
const server = await startPostgres({ dataDir: await dataDirWithCluster(), log: pino({ level: 'silent' }) });
process.stdout.write(`${server.databaseUrl}\n`);
await new Promise((resolve) => {
  process.once('SIGTERM', resolve);
  process.stdin.once('end', resolve).resume();
});
await server.stop();
process.exit();
