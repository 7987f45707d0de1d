import type { Command } from 'commander';
import { REASON_HELP, lifecycleIs, withOperator, withRevision } from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import type { postActs } from '../post.acts.js';

const perform = performing<typeof postActs>();

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
      .action(perform(`POST /operator/posts/:id/${act}`, lifecycleIs(done)));
}

const descriptions = {
  restrict: 'hide a post from everyone; its author can only delete it; replies stay',
  unrestrict: 'show a restricted post again, unless its author deleted it',
} as const;
