import type { Command } from 'commander';
import { operatorApi, turnLine, WHY, withOperator, withRevision } from '../act.js';
import type { TurnOptions } from '../act.js';
import { answer } from '../output.js';

interface RestrictOptions extends TurnOptions {
  readonly reason: string;
}

/** `plaza post …`: what people have written. */
export function addPost(program: Command): void {
  const post = program.command('post').description("posts: take them out of everybody's sight, and back");
  for (const [act, done] of [
    ['restrict', 'restricted'],
    ['unrestrict', 'published'],
  ] as const)
    withRevision(withOperator(post.command(act)))
      .description(descriptions[act])
      .argument('<post-id>', 'which post')
      .requiredOption('--reason <why>', WHY)
      .action(async (postId: string, { reason, revision, ...options }: RestrictOptions) => {
        const result = await operatorApi(options).setPostState(postId, act, reason, revision);
        answer(options, result, [turnLine(postId, done, result)]);
      });
}

const descriptions = {
  restrict: "take a post out of everybody's sight, its author's too, who may only delete it; replies stay",
  unrestrict: 'let a post be seen again, as it was, unless its author has deleted it',
} as const;
