import type { Command } from 'commander';
import { operatorApi, withReason } from '../act.js';
import type { ActOptions } from '../act.js';
import { answer } from '../output.js';

/** `plaza publishing …`: whether anybody can publish. */
export function addPublishing(program: Command): void {
  const publishing = program
    .command('publishing')
    .description('publishing: pause it for everybody, resume it');
  for (const [act, done] of [
    ['pause', 'paused'],
    ['resume', 'open'],
  ] as const)
    withReason(publishing.command(act))
      .description(descriptions[act])
      .action(async ({ reason, ...options }: ActOptions) => {
        const result = await operatorApi(options).setPublishing(act, reason);
        answer(options, result, [
          result.changed ? `publishing is ${done} now` : `publishing is ${done} already; nothing changed`,
        ]);
      });
}

const descriptions = {
  pause: 'let nobody publish anything new, from the next request on; reads, deletions and blocks go on',
  resume: 'let everybody publish again',
} as const;
