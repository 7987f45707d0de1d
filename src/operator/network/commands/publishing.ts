import type { Command } from 'commander';
import { nowIs, withReason } from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import type { networkActs } from '../network.acts.js';

const perform = performing<typeof networkActs>();

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
      .action(perform(`POST /operator/publishing/${act}`, nowIs(`publishing is ${done}`)));
}

const descriptions = {
  pause:
    'refuse new posts, replies, edits and profile changes, from the next request on; everything else continues',
  resume: 'allow publishing again',
} as const;
