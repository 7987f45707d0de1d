import type { AwaitedRequest } from '../desk/approvals/awaited-approval.js';
import { timeText } from '../../base/terminal/output.js';

type Facts = AwaitedRequest['facts'];

/** Nothing has happened yet: another operator must approve it first. The command ends with a code of its own. */
export class AwaitsApproval extends Error {
  override readonly name = 'AwaitsApproval';

  constructor(readonly request: AwaitedRequest) {
    super(linesOf(request).join('\n'));
  }
}

function linesOf({ approvalId, asks, digest, expiresAt, facts }: AwaitedRequest): string[] {
  return [
    `${asks}: it waits for the approval of another operator; nothing has happened yet`,
    ...factLines(facts),
    `approval     ${approvalId}`,
    `digest       ${digest}`,
    `valid until  ${timeText(expiresAt)}`,
    `Another operator reads it with plaza approval show ${approvalId}, and approves or refuses it.`,
    `Then execute it yourself: plaza approval run ${approvalId}`,
  ];
}

export function factLines(facts: Facts): string[] {
  const widest = Math.max(0, ...Object.keys(facts).map(({ length }) => length));
  return Object.entries(facts).map(
    ([name, value]) => `  ${name.padEnd(widest)}  ${Array.isArray(value) ? value.join(' ') : String(value)}`,
  );
}
