import type { Command } from 'commander';
import { actsOf, stateLine, withReason } from '../../client/command-options.js';
import type { CommandOptions } from '../../client/command-options.js';
import { printResult } from '../../../base/terminal/output.js';
import type { networkActs } from '../network.acts.js';

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
        const result = await actsOf<typeof networkActs>(options).call(`POST /operator/publishing/${act}`, {
          reason,
        });
        printResult(options, result, [stateLine(`publishing is ${done}`, result)]);
      });
}

const descriptions = {
  pause:
    'refuse new posts, replies, edits and profile changes, from the next request on; everything else continues',
  resume: 'allow publishing again',
} as const;
