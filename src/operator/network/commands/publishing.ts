import type { Command } from 'commander';
import { operatorClientOf, withReason } from '../../client/command-options.js';
import type { CommandOptions } from '../../client/command-options.js';
import { printResult } from '../../../base/terminal/output.js';

export function addPublishingCommands(program: Command): void {
  const publishing = program
    .command('publishing')
    .description('publishing: pause and resume it for everyone');
  for (const [act, done] of [
    ['pause', 'paused'],
    ['resume', 'open'],
  ] as const)
    withReason(publishing.command(act))
      .description(descriptions[act])
      .action(async ({ reason, ...options }: CommandOptions) => {
        const result = await operatorClientOf(options).setPublishing(act, reason);
        printResult(options, result, [
          result.changed ? `publishing is ${done} now` : `publishing is ${done} already; nothing changed`,
        ]);
      });
}

const descriptions = {
  pause:
    'refuse new posts, replies, edits and profile changes, from the next request on; everything else continues',
  resume: 'allow publishing again',
} as const;
