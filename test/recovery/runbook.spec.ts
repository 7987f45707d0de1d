/**
 * Each case goes on where the one before has ended.
 * @sample first
 * @waits
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blocksOf } from '../examples/support/document.js';
import { operatorOf, registerApplication } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import type { SignedIn } from '../support/api.js';
import { suspendAll } from '../support/batches.js';
import { newDataDir, removeDataDir } from '../support/data-dir.js';
import { destroyLog } from '../support/drill.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { post } from '../support/social.js';
import { CHECKS_MS, until } from '../support/until.js';
import { destroyWitness } from './support/destroy.js';
import { isRunBy, mentionedIn, stepsOf, typed } from './support/runbook.js';

const document = readFileSync(new URL('../../docs/recovery.md', import.meta.url), 'utf8');
const steps = stepsOf(blocksOf(document));

let network: TestNetwork;
let reader: SignedIn;
/** Values of the shell variables in the runbook. */
let variables: Readonly<Record<string, string>>;

const scratch = newDataDir();

beforeAll(async () => {
  network = await startNetwork();
  const application = await registerApplication(network);
  const person = () => personWithToken(network, application);
  reader = await person();
  const [suspended, erased, spammer, mistaken] = await Promise.all([0, 1, 2, 3].map(person));
  if (!suspended || !erased || !spammer || !mistaken) throw new Error('nobody signed in');
  writeFileSync(join(scratch, 'spammers'), `${spammer.actorId}\n`);
  variables = {
    BACKUP: join(scratch, 'backup'),
    REST: join(scratch, 'rest'),
    CLIENT_ID: application.clientId,
    ACTOR_ID: suspended.actorId,
    ERASED_ID: erased.actorId,
    FILE: join(scratch, 'spammers'),
    BATCH_ID: await suspendAll(operatorOf(network), [mistaken.actorId], 'a wave of spam'),
    POST_ID: await post(reader, 'Somebody will not like this'),
  };
});

afterAll(async () => {
  await network?.stop();
  rmSync(scratch, { recursive: true });
});

const state = async () => (await operatorOf(network).get('recovery')).state;
const isServing = () => until(async () => (await reader.get('/api/timeline')).status === 200, 60_000);

/** The situation before a chapter of the runbook, and the expected one after its commands. */
interface Chapter {
  readonly heading: string;
  readonly before?: () => Promise<void>;
  readonly after?: () => Promise<unknown>;
}

/** Ordered, because each chapter continues from the one before. */
const chapters: readonly Chapter[] = [
  { heading: 'Look first' },
  { heading: 'Restrict, suspend, pause' },
  { heading: 'Backup' },
  { heading: 'Servers of your own' },
  { heading: 'Erasure' },
  { heading: 'Rebuild', after: isServing },
  {
    heading: 'The read store',
    before: async () => {
      await network.killAll('SIGKILL');
      destroyLog(network);
    },
  },
  { heading: 'The authority store' },
  { heading: 'The vault' },
  { heading: 'The log' },
  { heading: 'Quarantine', after: isServing },
  {
    heading: 'The witness was rolled back',
    before: async () => {
      await destroyWitness(network);
      // The running worker would notice only within a minute.
      process.kill(network.pids().worker!, 'SIGKILL');
      await until(async () => (await state()) === 'quarantined', CHECKS_MS);
    },
    after: isServing,
  },
  {
    heading: 'On a new machine',
    before: async () => {
      await network.halt();
      removeDataDir(network.dataDir);
      mkdirSync(network.dataDir);
    },
    after: isServing,
  },
];

describe('docs/recovery.md', () => {
  it('mentions no command that none of its examples runs', () => {
    const untyped = mentionedIn(document).filter(
      (command) => !steps.some(({ line }) => isRunBy(line, command)),
    );
    expect(untyped).toEqual([]);
  });

  it('has no example under a heading that this test skips', () => {
    expect(new Set(steps.map(({ heading }) => heading))).toEqual(
      new Set(chapters.map(({ heading }) => heading)),
    );
  });

  it.each(chapters)('is correct in: $heading', async ({ heading, before, after }) => {
    await before?.();
    const [printed, written]: [string[], string[]] = [[], []];
    for (const step of steps.filter((each) => each.heading === heading)) {
      const [output, expected] = await typed(network, step, variables);
      printed.push(output);
      written.push(expected);
    }
    expect(printed).toEqual(written);
    await after?.();
  });
});
