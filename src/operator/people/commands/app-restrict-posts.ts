import type { Command } from 'commander';
import { TIME_HELP } from '../../audit/time.js';
import { runBatch, withBatchOptions } from './batch-lines.js';
import type { BatchOptions } from './batch-lines.js';
import { operatorClientOf, withReason } from '../../client/command-options.js';

interface RestrictPostsOptions extends BatchOptions {
  readonly from: string;
  readonly until: string;
}

export function addRestrictPostsCommand(app: Command): void {
  withBatchOptions(withReason(app.command('restrict-posts')))
    .description('hide all posts that an application created in a window; plaza batch undo lifts it again')
    .argument('<client-id>', 'client id of the application')
    .requiredOption('--from <time>', TIME_HELP)
    .requiredOption('--until <time>', `before ${TIME_HELP}, in the past; a day counts whole`)
    .action(async (appId: string, { from, until, ...options }: RestrictPostsOptions, command: Command) => {
      await runBatch(operatorClientOf(options), { kind: 'posts', appId, from, until }, options, command);
    });
}
