import type { Command } from 'commander';
import { roles } from '../../../domain/operator/roles.js';
import {
  REASON_HELP,
  actsOf,
  doneLine,
  lifecycleIs,
  lifecycleLine,
  someOf,
  subjectIs,
  withOperator,
  withReason,
  withRevision,
} from '../../client/command-options.js';
import { performing } from '../../client/perform.js';
import type { IssuedInvitation } from '../invitation.js';
import type { operatorActs } from '../operator.acts.js';
import { Failure } from '../../../base/terminal/failure.js';
import { printResult, timeText } from '../../../base/terminal/output.js';
import { typedText } from '../../../base/terminal/typed-text.js';
import { operatorLines } from './operator-table.js';
import { addPasskeyCommands } from './operator-passkey.js';
import { addOperatorTokenCommands, tokenLines, withTokenWish } from './operator-token.js';
import type { TokenOptions } from './operator-token.js';

export function invitationLines({ operatorId, invitationCode, expiresAt, link }: IssuedInvitation): string[] {
  return [
    `operator id      ${operatorId}`,
    `invitation code  ${invitationCode}  (shown only now, valid until ${timeText(expiresAt)})`,
    `link             ${link}`,
    'The invited person opens the link in a browser, or runs plaza operator enroll and types the code.',
  ];
}

const operators = actsOf<typeof operatorActs>;
const perform = performing<typeof operatorActs>();

export function addOperatorCommands(program: Command): void {
  const operator = program
    .command('operator')
    .description('operators: invite them, grant roles, suspend them, and their tokens');

  withRoles(withReason(operator.command('invite')))
    .description('invite an operator; the code is shown only once')
    .requiredOption('--name <name>', 'name of the person, for other operators')
    .action(perform('POST /operator/operators', invitationLines));

  withTokenWish(withOperator(operator.command('enroll')))
    .description('accept an invitation: read its code from standard input, and get a personal token')
    .action(async ({ label, expires: validMs, ...options }: TokenOptions) => {
      const invitationCode = (await typedText('the code')).trim();
      if (invitationCode === '')
        throw new Failure('standard input is empty; give it the code of the invitation');
      const enrollment = { invitationCode, label, validMs };
      const enrolled = await operators(options).call('POST /operator/enrollments', enrollment);
      printResult(options, enrolled, [`operator id  ${enrolled.operatorId}`, ...tokenLines(enrolled)]);
    });

  withOperator(operator.command('list'))
    .description('list every operator: state, roles, tokens')
    .action(perform('GET /operator/operators', operatorLines));

  withRoles(withRevision(withOperator(operator.command('roles'))))
    .description('replace the roles of an operator, effective on the next request')
    .argument('<operator-id>', 'id of the operator')
    .requiredOption('--reason <why>', REASON_HELP)
    .action(
      perform('POST /operator/operators/:id/roles', (result, id, { roles: chosen }) => [
        lifecycleLine(id, chosen.join(' and '), result),
      ]),
    );

  for (const [act, done] of [
    ['suspend', 'suspended'],
    ['reinstate', 'active'],
  ] as const)
    withRevision(withOperator(operator.command(act)))
      .description(descriptions[act])
      .argument('<operator-id>', 'id of the operator')
      .requiredOption('--reason <why>', REASON_HELP)
      .action(perform(`POST /operator/operators/:id/${act}`, lifecycleIs(done)));

  withReason(operator.command('confirm'))
    .description(
      'confirm an operator who joined without a second person, such as one whom the limited shared token invited',
    )
    .argument('<operator-id>', 'id of the operator')
    .action(perform('POST /operator/operators/:id/confirm', subjectIs('confirmed')));

  addOperatorTokenCommands(operator);
  addPasskeyCommands(operator);

  withReason(operator.command('limit-shared-token'))
    .description(
      'limit the shared token for good: to invite, recover, back up and read the status, for emergencies',
    )
    .action(
      perform('POST /operator/shared-token/limit', (result) => [
        doneLine('the shared token is limited', result),
      ]),
    );
}

const descriptions = {
  suspend: 'suspend an operator, effective on the next request; of an invited one, it ends the invitation',
  reinstate: 'reinstate a suspended operator, with the tokens that were not revoked',
} as const;

function withRoles(command: Command): Command {
  return command.requiredOption('--role <role>', `${roles.join(', ')}; repeat it for several`, someOf(roles));
}
