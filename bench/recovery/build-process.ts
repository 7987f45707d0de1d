/** Builds an incarnation like a worker, in a separate process to measure its memory. */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { serving } from '../../projections/groups.js';
import { versionsOf } from '../../projections/runner/projection.js';
import { logUpTo } from '../../src/background/as-of/log-up-to.js';
import { openLog } from '../../src/log/open-log.js';
import { buildIncarnation } from '../../projections/incarnations/building/build-incarnation.js';
import type { BuildProgress } from '../../projections/incarnations/building/build-progress.js';
import { verifyIncarnation } from '../../projections/incarnations/building/verify-incarnation.js';
import { createIncarnation, dropIncarnation } from '../../projections/incarnations/incarnation.js';

export interface BuildQuestion {
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  readonly vaultDatabaseUrl: string;
}

export interface BuildAnswer {
  readonly loadingSeconds: number;
  readonly buildSeconds: number;
  readonly verifySeconds: number;
  /** Duration of an as-of build up to the head of the log. */
  readonly asOfSeconds: number;
  readonly differences: number;
}

const question = JSON.parse(process.argv[2] ?? '{}') as BuildQuestion;
const { databaseUrl } = question;
const opened = await openLog({ ...question, applicationName: 'bench' });
const client = new Client(databaseUrl);
await client.connect();
const create = () =>
  createIncarnation(client, {
    id: randomBytes(8).toString('hex'),
    versions: { ...versionsOf(serving), bench: Date.now() },
    tables: serving.projections.map(({ tables }) => tables),
    now: Date.now(),
  });
const incarnation = await create();
let loaded = 0;
const begun = performance.now();
const since = () => (performance.now() - begun) / 1_000;
const onProgress = ({ phase }: BuildProgress) => {
  if (phase === 'loading') loaded = since();
};
const options = {
  group: serving,
  log: opened.log,
  databaseUrl,
  incarnation,
  signal: new AbortController().signal,
  onProgress,
};
await buildIncarnation(options);
const built = since();
const { differences } = await verifyIncarnation(options);
const verified = since();
const asOf = await create();
const log = logUpTo(opened.log, (await opened.log.head()) ?? 0n);
await buildIncarnation({ ...options, log, incarnation: asOf, onProgress: () => undefined });
const answer: BuildAnswer = {
  loadingSeconds: loaded,
  buildSeconds: built,
  verifySeconds: verified - built,
  asOfSeconds: since() - verified,
  differences: differences.length,
};
for (const each of [incarnation, asOf]) await dropIncarnation(client, each);
await client.end();
await opened.close();
process.send?.(answer);
process.disconnect();
