import type { Command } from 'commander';
import { actsOf, stateLine, withOperator, withReason } from '../../client/command-options.js';
import type { CommandOptions, OperatorOptions } from '../../client/command-options.js';
import { printResult } from '../../../base/terminal/output.js';
import type { networkActs } from '../network.acts.js';

const acts = actsOf<typeof networkActs>;

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
      .action(async ({ reason, ...options }: CommandOptions) => {
        const result = await acts(options).call(`POST /operator/registration/${act}`, { reason });
        printResult(options, result, [stateLine(`registration is ${state}`, result)]);
      });
  withOperator(registration.command('status'))
    .description('show if people can create accounts, and who decided it')
    .action(async (options: OperatorOptions) => {
      const state = await acts(options).call('GET /operator/registration');
      const decided = state.by === 'operator' ? 'an operator decided it' : 'the setting REGISTRATION says so';
      printResult(options, state, [`registration is ${state.isOpen ? 'open' : 'closed'}: ${decided}`]);
    });
}

const descriptions = {
  open: 'let people create accounts, from the next request on, whatever REGISTRATION says',
  closed: 'refuse sign-up, from the next request on; operators still create accounts',
} as const;
