import type { Command } from 'commander';
import { plainLine } from '../../../base/support/plain-text.js';
import type { approvalActs } from '../approval.acts.js';
import type { IssuedInvitation } from '../invitation.js';
import type { ListedApproval } from '../../desk/approvals/listed.js';
import { askOf, factLines } from '../../client/awaits-approval.js';
import { REASON_HELP, subjectIs, withOperator, withReason } from '../../client/command-options.js';
import type { NamesInLines } from '../../client/names-in-lines.js';
import { performing } from '../../client/perform.js';
import { localMoment, timeText } from '../../../base/terminal/output.js';
import { tableLines } from '../../../base/terminal/table.js';
import { recoveryLinkLines } from '../../people/commands/recovery-link-lines.js';
import type { MadeLink } from '../../people/made-link.js';
import { invitationLines } from './operator.js';

const perform = performing<typeof approvalActs>();

export function addApprovalCommands(program: Command): void {
  const approval = program
    .command('approval')
    .description('approvals: acts that wait for another operator while four-eyes is on');

  withOperator(approval.command('list'))
    .description('list the requests: open ones first, then the newest, 50 in all')
    .action(perform('GET /operator/approvals', tableOf));

  withOperator(approval.command('show'))
    .description('show what exactly an act would do, and the digest of that')
    .argument('<approval-id>', 'id of the request')
    .action(
      perform('GET /operator/approvals/:id', (approval, _id, _given, names) => linesOf(approval, names)),
    );

  withReason(approval.command('approve'))
    .description('approve what the preview shows; the requester then executes it')
    .argument('<approval-id>', 'id of the request')
    .requiredOption('--digest <digest>', 'digest of the preview that you read')
    .action(perform('POST /operator/approvals/:id/approve', subjectIs('approved')));

  withOperator(approval.command('refuse'))
    .description('refuse a request for good, or withdraw your own')
    .argument('<approval-id>', 'id of the request')
    .requiredOption('--reason <why>', REASON_HELP)
    .action(perform('POST /operator/approvals/:id/refuse', subjectIs('refused')));

  withOperator(approval.command('run'))
    .description('execute what you requested and another operator approved; once, also after a failure')
    .argument('<approval-id>', 'id of the request')
    .action(
      perform('POST /operator/approvals/:id/run', ({ result, ...ran }) => [
        `executed: ${askOf(ran)}`,
        ...(resultLines[ran.act]?.(result) ?? [JSON.stringify(result)]),
      ]),
    );
}

/** The lines of acts whose answer is shown once, or leads on. */
const resultLines: Readonly<Record<string, (result: unknown) => readonly string[]>> = {
  'operator.invite': (result) => invitationLines(result as IssuedInvitation),
  'account.export': (result) => {
    const { actorId, exportId } = result as { readonly actorId: string; readonly exportId: string };
    return [`Within an hour: plaza account export ${actorId} --begun ${exportId} > FILE`];
  },
  'account.make_recovery_link': (result) => recoveryLinkLines(result as MadeLink),
};

const tableOf = (approvals: readonly ListedApproval[]) =>
  tableLines(
    ['REQUESTED', 'APPROVAL', 'STATE', 'ASKS', 'BY', 'WHY'],
    approvals.map((approval) => [
      localMoment(approval.requestedAt),
      approval.approvalId,
      stateText[approval.state],
      askOf(approval),
      approval.requestedByName ?? approval.requestedBy,
      plainLine(approval.reason ?? ''),
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

/** The release before does not say what the act does. */
type Shown = Omit<ListedApproval, 'does'> & Partial<Pick<ListedApproval, 'does'>>;

function linesOf(approval: Shown, names: NamesInLines): string[] {
  const { does, state, requestedBy, requestedByName, reason, decidedBy, decidedByName, decision } = approval;
  return [
    `${askOf(approval)}: ${stateText[state]}`,
    ...(does === undefined ? [] : [does]),
    ...factLines(approval.facts, names),
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
