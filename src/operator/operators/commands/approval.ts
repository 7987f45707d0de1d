import type { Command } from 'commander';
import { plainLine } from '../../../base/support/plain-text.js';
import type { ListedApproval } from '../../client/approval-answers.js';
import * as answers from '../../client/answers.js';
import { factLines } from '../../client/awaits-approval.js';
import { operatorClientOf, REASON_HELP, withOperator, withReason } from '../../client/command-options.js';
import type { CommandOptions, OperatorOptions } from '../../client/command-options.js';
import { answerList, localMoment, printResult, timeText } from '../../../base/terminal/output.js';
import { tableLines } from '../../../base/terminal/table.js';
import { invitationLines } from './operator.js';

export function addApprovalCommands(program: Command): void {
  const approval = program
    .command('approval')
    .description('approvals: acts that wait for another operator while four-eyes is on');

  withOperator(approval.command('list'))
    .description('list the requests: open ones first, then the newest, 50 in all')
    .action(async (options: OperatorOptions) => {
      answerList(options, await operatorClientOf(options).approvals.list(), tableOf);
    });

  withOperator(approval.command('show'))
    .description('show what exactly an act would do, and the digest of that')
    .argument('<approval-id>', 'id of the request')
    .action(async (approvalId: string, options: OperatorOptions) => {
      const shown = await operatorClientOf(options).approvals.show(approvalId);
      printResult(options, shown, linesOf(shown));
    });

  withReason(approval.command('approve'))
    .description('approve what the preview shows; the requester then executes it')
    .argument('<approval-id>', 'id of the request')
    .requiredOption('--digest <digest>', 'digest of the preview that you read')
    .action(
      async (
        approvalId: string,
        { digest, reason, ...options }: CommandOptions & { readonly digest: string },
      ) => {
        const result = await operatorClientOf(options).approvals.approve(approvalId, digest, reason);
        const line = `${approvalId} is approved`;
        printResult(options, result, [result.changed ? line : `${line} already; nothing changed`]);
      },
    );

  withOperator(approval.command('refuse'))
    .description('refuse a request for good, or withdraw your own')
    .argument('<approval-id>', 'id of the request')
    .requiredOption('--reason <why>', REASON_HELP)
    .action(
      async (approvalId: string, { reason, ...options }: OperatorOptions & { readonly reason: string }) => {
        const result = await operatorClientOf(options).approvals.refuse(approvalId, reason);
        const line = `${approvalId} is refused`;
        printResult(options, result, [result.changed ? line : `${line} already; nothing changed`]);
      },
    );

  withOperator(approval.command('run'))
    .description('execute what you requested and another operator approved; once, also after a failure')
    .argument('<approval-id>', 'id of the request')
    .action(async (approvalId: string, options: OperatorOptions) => {
      const carriedOut = await operatorClientOf(options).approvals.run(approvalId);
      const { act, result } = carriedOut;
      const invited = answers.invitedOperator.safeParse(result).data;
      printResult(options, carriedOut, [
        `executed: ${act}`,
        ...(invited ? invitationLines(invited) : [JSON.stringify(result)]),
      ]);
    });
}

const tableOf = (approvals: readonly ListedApproval[]) =>
  tableLines(
    ['REQUESTED', 'APPROVAL', 'STATE', 'ACT', 'BY', 'WHY'],
    approvals.map(({ requestedAt, approvalId, state, act, requestedBy, requestedByName, reason }) => [
      localMoment(requestedAt),
      approvalId,
      stateText[state],
      act,
      requestedByName ?? requestedBy,
      plainLine(reason ?? ''),
    ]),
  );

const stateText: Readonly<Record<ListedApproval['state'], string>> = {
  waiting: 'waiting',
  given: 'approved',
  refused: 'refused',
  voided: 'void',
  used: 'in doubt',
  carried_out: 'executed',
  expired: 'expired',
};

function linesOf(approval: ListedApproval): string[] {
  const { act, state, requestedBy, requestedByName, reason, decidedBy, decidedByName, decision } = approval;
  return [
    `${act}: ${stateText[state]}`,
    ...factLines(approval.facts),
    `requested by  ${requestedByName ?? ''} (${requestedBy})${reason === null ? '' : `: ${plainLine(reason)}`}`,
    ...(decidedBy === null
      ? []
      : [
          `decided by    ${decidedByName ?? ''} (${decidedBy})${decision === null ? '' : `: ${plainLine(decision)}`}`,
        ]),
    `valid until   ${timeText(approval.expiresAt)}`,
    `digest        ${approval.digest}`,
  ];
}
