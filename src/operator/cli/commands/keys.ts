import type { Command } from 'commander';
import { operatorApi, withOperator, withReason } from '../command-options.js';
import type { CommandOptions, OperatorOptions } from '../command-options.js';
import type { OperatorClient } from '../operator-client.js';
import { answer, moment } from '../output.js';

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('keys that sign ID tokens: list and rotate them');
  withOperator(keys.command('list'))
    .description('list the published keys: the signing one, the next one, and retired ones')
    .action(async (options: OperatorOptions) => {
      const published = await operatorApi(options).signingKeys();
      answer(options, published, published.map(lineOf));
    });

  withReason(keys.command('rotate'))
    .description('publish a new key, which signs once every client can have fetched it')
    .action(async ({ reason, ...options }: CommandOptions) => {
      const rotated = await operatorApi(options).rotateSigningKey(reason);
      const { kid, signsFrom, changed } = rotated;
      const line = `${kid} signs from ${moment(signsFrom)} on`;
      answer(options, rotated, [changed ? line : `${line}: a rotation is under way; nothing changed`]);
    });
}

type Key = Awaited<ReturnType<OperatorClient['signingKeys']>>[number];

function lineOf({ kid, state, signsFrom, publishedUntil }: Key): string {
  if (publishedUntil !== null) return `${kid}  retired, published until ${moment(publishedUntil)}`;
  const since = signsFrom === null ? 'the network began' : moment(signsFrom);
  return state === 'next' ? `${kid}  next, signs from ${since} on` : `${kid}  signing since ${since}`;
}
