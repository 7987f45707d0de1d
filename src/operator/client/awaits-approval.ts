import type { AwaitedRequest } from '../desk/approvals/awaited-approval.js';
import type { NamedIds } from '../desk/names.js';
import { idsAlone } from './names-in-lines.js';
import { timeText } from '../../base/terminal/output.js';

type Facts = AwaitedRequest['facts'];

/** Nothing has happened yet: another operator must approve it first. The command ends with a code of its own. */
export class AwaitsApproval extends Error {
  override readonly name = 'AwaitsApproval';

  constructor(readonly request: AwaitedRequest) {
    super(linesOf(request).join('\n'));
  }
}

/** The release before has no words for an act, but its name. */
export const askOf = ({ act, asks = act }: { readonly act: string; readonly asks?: string }): string => asks;

function linesOf(request: AwaitedRequest): string[] {
  const { approvalId, digest, expiresAt, facts } = request;
  return [
    `${askOf(request)}: it waits for the approval of another operator; nothing has happened yet`,
    ...factLines(facts),
    `approval     ${approvalId}`,
    `digest       ${digest}`,
    `valid until  ${timeText(expiresAt)}`,
    `Another operator reads it with plaza approval show ${approvalId}, and approves or refuses it.`,
    `Then execute it yourself: plaza approval run ${approvalId}`,
  ];
}

export function factLines(facts: Facts, { named } = idsAlone): string[] {
  const widest = Math.max(0, ...Object.keys(facts).map(({ length }) => length));
  return Object.entries(facts).map(([name, value]) => {
    const noun = nounOf(name, facts);
    const values = (Array.isArray(value) ? value : [value]).map(String);
    return `  ${name.padEnd(widest)}  ${noun ? values.map((id) => named(noun, id)).join(', ') : values.join(' ')}`;
  });
}

/** The kind of things whose ids a fact has; undefined: it has none. */
function nounOf(name: string, { restricts }: Facts): keyof NamedIds | undefined {
  const items = typeof restricts === 'string' ? nounsOfBatches[restricts] : undefined;
  if (/^(all|the first \d+)$/.test(name)) return items;
  return name === 'restricts' && items ? undefined : nouns[name];
}

type Nouns = Readonly<Record<string, keyof NamedIds>>;

const nounsOfBatches: Nouns = { posts: 'posts', accounts: 'actors' };

const nouns: Nouns = {
  account: 'actors',
  suspends: 'actors',
  restricts: 'posts',
  application: 'applications',
};
