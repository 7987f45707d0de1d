/**
 * Executes commands and stops each forever at one step of its restriction, to be killed there. Arguments as JSON: the
 * step, the stores, and type and key of each attempt. Prints `held` for each that has reached the step.
 */
import 'reflect-metadata';
import type { WritingStep } from '../../../src/log/witness/witnessed-log.js';
import { scenarios } from './scenarios.js';
import type { ScenarioType } from './scenarios.js';
import { openCommandBench } from './command-bench.js';
import type { Stores } from './command-bench.js';

export interface Attempt {
  readonly type: ScenarioType;
  readonly key: string;
}

const [step, stores, attempts] = process.argv.slice(2).map((given) => JSON.parse(given) as unknown) as [
  WritingStep,
  Stores,
  readonly Attempt[],
];
const workshop = await openCommandBench(stores, 'crash');
for (const { type, key } of attempts) {
  const held = Promise.withResolvers<void>();
  const commands = workshop.commands(async (reached, restriction) => {
    if (reached !== step || restriction.event.type !== type) return;
    process.stdout.write('held\n');
    held.resolve();
    await new Promise(() => undefined);
  });
  void scenarios[type].act(commands, key).then(
    () => process.stdout.write(`${type} ended without a crash\n`),
    (error: unknown) => process.stdout.write(`${type} failed: ${String(error)}\n`),
  );
  // One after the other, so that no call times out waiting for its stores.
  await held.promise;
}
// Keeps the process alive until it is killed.
setInterval(() => undefined, 60_000);
