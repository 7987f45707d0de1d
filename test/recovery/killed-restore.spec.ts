import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config/config.js';
import { readRestored, refuseHalfRestored } from '../../src/launch/restore-state.js';
import type { RestorePart } from '../../src/operator/restore/parts.js';
import { replacingSteps } from '../../src/operator/restore/replacement.js';
import type { ReplacingStep } from '../../src/operator/restore/replacement.js';
import { restore } from '../../src/operator/restore/restore.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import type { HeldRestore } from './support/restore-process.js';
import { all, StoppedNetwork } from './support/stopped-network.js';

/** Steps behind which some is old and some new. */
const between = replacingSteps.slice(replacingSteps.indexOf('begun'), replacingSteps.indexOf('ended'));

/** The others. */
const whole = replacingSteps
  .map((step) => ({ step, words: step === 'ended' ? 'new' : 'old' }))
  .filter(({ step }) => !between.includes(step));

let postgres: TestPostgres;
let backup: string;
/** Each was restored by a process that was killed at that step. */
const networks = new Map<ReplacingStep, StoppedNetwork>();
const networkAt = (step: ReplacingStep) => networks.get(step) as StoppedNetwork;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const old = await StoppedNetwork.of('old', postgres);
  // Else the old witness would stay: it would know of something that the backup does not.
  const other = await StoppedNetwork.of('new', postgres, old);
  backup = join(mkdtempSync(join(tmpdir(), 'plaza-backup-')), 'backup');
  await other.backUp(backup);
  for (const step of replacingSteps) networks.set(step, await old.copy());
  await killAll(replacingSteps.map((step) => ({ step, env: networkAt(step).env, backup })));
  for (const each of [old, other]) each.remove();
}, 120_000);

afterAll(async () => {
  for (const network of networks.values()) network.remove();
  rmSync(join(backup, '..'), { recursive: true });
  await postgres?.stop();
});

/** A process that restores all of these, and is killed once each of them stands at its step. */
async function killAll(restores: readonly HeldRestore[]): Promise<void> {
  const entry = fileURLToPath(new URL('./support/restore-process.ts', import.meta.url));
  const hook = new URL('./support/run-typescript.mjs', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', hook, entry, JSON.stringify(restores)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  let held = 0;
  for await (const line of createInterface(child.stdout)) {
    if (line !== 'held') throw new Error(line);
    held += 1;
    if (held === restores.length) child.kill('SIGKILL');
  }
  await gone;
  if (held < restores.length) throw new Error(`only ${held} of ${restores.length} got as far as they should`);
}

const restoreInto = ({ env }: StoppedNetwork, parts?: readonly RestorePart[]) =>
  restore(readConfig(env), {
    dir: backup,
    parts,
    reason: undefined,
    operator: 'a test',
    now: Date.now(),
    command: 'plaza restore',
    onProgress: () => undefined,
  });

const start = ({ dataDir }: StoppedNetwork) => refuseHalfRestored(dataDir);

describe('a restore that is killed', () => {
  it.each(whole)('when it was done with: $step, leaves everything $words', async ({ step, words }) => {
    const network = networkAt(step);
    start(network);
    expect(await network.words()).toEqual(all(words));
  });

  it.each(between)('when it was done with: %s, leaves what does not start, and says what to type', (step) => {
    expect(() => start(networkAt(step))).toThrow(`run it again to its end: plaza restore ${backup}`);
  });

  it.each(between)('when it was done with: %s, lets nobody restore only some of it', async (step) => {
    const network = networkAt(step);
    const before = await network.words();
    await expect(restoreInto(network, ['read', 'vault'])).rejects.toThrow(
      `would leave its log, authority, witness half old and half new; run that one again to its end first: plaza restore ${backup}`,
    );
    expect(await network.words()).toEqual(before);
    expect(() => start(network)).toThrow('was interrupted');
  });

  it.each(replacingSteps)('when it was done with: %s, is brought to its end by the same', async (step) => {
    const network = networkAt(step);
    const { parts } = await restoreInto(network);
    start(network);
    expect(await network.words()).toEqual(all('new'));
    expect(readRestored(network.dataDir)?.parts).toEqual(parts);
    const kept = await network.kept();
    for (const words of Object.values(kept)) expect(words).toContain('old');
  });
});
