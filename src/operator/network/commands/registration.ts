import type { Command } from 'commander';
import { nowIs, withOperator, withReason } from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import type { networkActs } from '../network.acts.js';

const perform = performing<typeof networkActs>();

export function addRegistrationCommands(program: Command): void {
  const registration = program
    .command('registration')
    .description('registration: let people create their accounts, or operators alone');
  for (const [state, act] of [
    ['open', 'open'],
    ['closed', 'close'],
  ] as const)
    withReason(registration.command(state))
      .description(descriptions[state])
      .action(perform(`POST /operator/registration/${act}`, nowIs(`registration is ${state}`)));
  withOperator(registration.command('status'))
    .description('show if people can create accounts, and who decided it')
    .action(
      perform('GET /operator/registration', ({ isOpen, by }) => [
        `registration is ${isOpen ? 'open' : 'closed'}: ${by === 'operator' ? 'an operator decided it' : 'the setting REGISTRATION says so'}`,
      ]),
    );
}

const descriptions = {
  open: 'let people create accounts, from the next request on, whatever REGISTRATION says',
  closed: 'refuse sign-up, from the next request on; operators still create accounts',
} as const;
