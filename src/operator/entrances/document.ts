import { markdownTable } from '../../base/support/markdown-table.js';
import { limitedSharedToken, permissionsOf, roles } from '../../domain/operator/roles.js';
import { consolePathOf } from '../desk/act.js';
import type { Act } from '../desk/act.js';
import { isAdmitted } from '../desk/admission.js';
import type { Caller } from '../desk/caller.js';
import { shapeText } from './shape-text.js';

interface Column {
  readonly heading: string;
  readonly caller: Caller;
}

const columns: readonly Column[] = [
  ...roles.map((role) => ({
    heading: role,
    caller: { kind: 'operator', operatorId: '', roles: [role] } as const,
  })),
  { heading: 'shared token', caller: { kind: 'shared', isLimited: false } },
  { heading: 'limited', caller: { kind: 'shared', isLimited: true } },
];

export function documentOf(table: readonly Act[]): string {
  const acts = table.map((row) => [
    `\`${row.name}\``,
    `\`${row.route}\``,
    row.command === undefined ? '' : `\`plaza ${row.command}\``,
    consoleText(row),
    row.reason ?? '',
    row.approval?.when ?? '',
    ...columns.map(({ caller }) => (isAdmitted(row, caller) ? 'yes' : 'no')),
  ]);
  const permissions = [...new Set(Object.values(permissionsOf).flat())].map((permission) => [
    `\`${permission}\``,
    table
      .filter(({ may }) => may === permission)
      .map(({ name }) => `\`${name}\``)
      .join(', '),
  ]);
  const answers = table
    .filter(({ path }) => path.startsWith('/operator/'))
    .map(({ name, answer }) => `- \`${name}\`: \`${shapeText(answer)}\``);
  return `${INTRODUCTION}
${markdownTable(['Act', 'Route', 'Command', 'Console', 'Reason', 'Approval', ...columns.map(({ heading }) => heading)], acts)}

Enrolling needs an invitation code; signing in and \`metrics.read\` need nothing. Acts whose names begin with \`own.\` concern the operator
who does them, so the shared token cannot do them. Nor can it decide on a case, an appeal or an approval: it does not show that
two operators did.

## Permissions

A role is an exact set of permissions, and an operator may have several roles. The limited shared token has
${limitedSharedToken.map((permission) => `\`${permission}\``).join(', ')}.

${markdownTable(['Permission', 'Acts'], permissions)}

## Answers

Each act answers with JSON of this shape. Times are Unix milliseconds.

${answers.join('\n')}
`;
}

const INTRODUCTION = `# Operators' acts

Every act on the operator's port, and who may do it. The table is made from \`src/operator/entrances/table.ts\` by \`npm run acts\`; a test compares the
two. Who lacks the permission gets 403 \`capability_required\`, by the API, the command line and the console.

"Approval" says what waits for another operator while four-eyes is on: see [ADR 32](adr/0032-four-eyes.md).
`;

function consoleText(row: Act): string {
  const path = consolePathOf(row);
  return path === undefined ? '' : `${row.method === 'GET' ? 'page' : 'form'} \`${path}\``;
}
