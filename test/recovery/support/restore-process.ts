/**
 * Executes restores and stops each forever at one step, to be killed there. Argument as JSON: for each restore its
 * step, its environment and its backup. Prints `held` for each that has reached its step.
 */
import { readConfig } from '../../../src/base/config/config.js';
import type { ReplacementStep } from '../../../src/recovery/backup/restore/replacement.js';
import { restore } from '../../../src/recovery/backup/restore/restore.js';

export interface HeldRestore {
  readonly step: ReplacementStep;
  readonly env: Readonly<Record<string, string>>;
  readonly backup: string;
}

const restores = JSON.parse(process.argv[2] ?? '[]') as readonly HeldRestore[];
for (const { step, env, backup } of restores) {
  const held = Promise.withResolvers<void>();
  void restore(readConfig(env), {
    dir: backup,
    parts: undefined,
    reason: undefined,
    operator: 'a test',
    account: 'a test',
    now: Date.now(),
    command: `plaza restore ${backup}`,
    onProgress: () => undefined,
    observe: async (reached) => {
      if (reached !== step) return;
      process.stdout.write('held\n');
      held.resolve();
      await new Promise(() => undefined);
    },
  }).then(
    () => process.stdout.write(`it ended without standing at: ${step}\n`),
    (error: unknown) => process.stdout.write(`it failed before: ${step}: ${String(error)}\n`),
  );
  await held.promise;
}
// Keeps the process alive until it is killed.
setInterval(() => undefined, 60_000);
