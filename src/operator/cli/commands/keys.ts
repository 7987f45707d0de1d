import type { Command } from 'commander';
import { operatorApi, withOperator, withReason } from '../act.js';
import type { ActOptions, OperatorOptions } from '../act.js';
import type { OperatorClient } from '../operator-client.js';
import { answer, moment } from '../output.js';

/** `plaza keys …`: what ID tokens are signed with. */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('keys that sign ID tokens: see and rotate them');
  withOperator(keys.command('list'))
    .description('which keys are published: the one that signs, the next, and retired ones')
    .action(async (options: OperatorOptions) => {
      const published = await operatorApi(options).signingKeys();
      answer(options, published, published.map(lineOf));
    });

  withReason(keys.command('rotate'))
    .description('publish a new key, which signs as soon as everybody can know it')
    .action(async ({ reason, ...options }: ActOptions) => {
      const rotated = await operatorApi(options).rotateSigningKey(reason);
      const { kid, signsFrom, changed } = rotated;
      const begins = `${kid} signs from ${moment(signsFrom)} on`;
      answer(options, rotated, [changed ? begins : `${begins}: a rotation is under way; nothing changed`]);
    });
}

type Key = Awaited<ReturnType<OperatorClient['signingKeys']>>[number];

function lineOf({ kid, state, signsFrom, publishedUntil }: Key): string {
  if (publishedUntil !== null) return `${kid}  retired, published until ${moment(publishedUntil)}`;
  const since = signsFrom === null ? 'the network began' : moment(signsFrom);
  return state === 'next' ? `${kid}  next, signs from ${since} on` : `${kid}  signing since ${since}`;
}
