import type { Command } from 'commander';
import {
  actsOf,
  lifecycleLine,
  REASON_HELP,
  withOperator,
  withRevision,
} from '../../client/command-options.js';
import type { LifecycleOptions } from '../../client/command-options.js';
import type { postActs } from '../post.acts.js';
import { printResult } from '../../../base/terminal/output.js';

interface RestrictOptions extends LifecycleOptions {
  readonly reason: string;
}

export function addPostCommands(program: Command): void {
  const post = program.command('post').description('posts: restrict and unrestrict them');
  for (const [act, done] of [
    ['restrict', 'restricted'],
    ['unrestrict', 'published'],
  ] as const)
    withRevision(withOperator(post.command(act)))
      .description(descriptions[act])
      .argument('<post-id>', 'id of the post')
      .requiredOption('--reason <why>', REASON_HELP)
      .action(async (id: string, { reason, revision, ...options }: RestrictOptions) => {
        const posts = actsOf<typeof postActs>(options);
        const result = await posts.call(`POST /operator/posts/:id/${act}`, { id, reason, revision });
        printResult(options, result, [lifecycleLine(id, done, result)]);
      });
}

const descriptions = {
  restrict: 'hide a post from everyone; its author can only delete it; replies stay',
  unrestrict: 'show a restricted post again, unless its author deleted it',
} as const;
