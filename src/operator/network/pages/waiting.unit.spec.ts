import { expect, it } from '@jest/globals';
import type { Role } from '../../../domain/operator/roles.js';
import { bringActs } from '../../console/may.js';
import type { Frame } from '../../desk/page.js';
import { actTable } from '../../entrances/table.js';
import type { Overview } from '../answers.js';
import { waitingCard } from './waiting.js';

bringActs(actTable);

const overview = {
  cases: { open: 12, claimed: 3, appealed: 2 },
  oldCases: [
    { severity: 'critical', hours: 24, count: 1_000 },
    { severity: 'high', hours: 24, count: 2 },
    { severity: 'low', hours: 168, count: 0 },
  ],
  erasures: { count: 1, next: [{ actorId: 'ada', erasesAt: 0, plannedBy: null }] },
} as unknown as Overview;

function cardFor(role: Role, shown = overview): string {
  const session = { operatorId: 'o', name: 'x', roles: [role], expiresAt: 0 } as unknown as Frame['session'];
  return waitingCard({ proof: '', session, waiting: 4 }, shown).text.replaceAll(/\s+/g, ' ');
}

it.each(['moderator', 'auditor', 'administrator'] as const)(
  'names and leads to what waits, for a %s',
  (role) => {
    const card = cardFor(role);
    expect(card).toContain('at least 1,000 of critical severity, undecided for more than 24 hours');
    expect(card).toContain('2 of high severity');
    expect(card).not.toContain('low severity');
    expect(card).toContain('<a href="/console/cases?state=appealed">2 appeals to decide</a>');
    expect(card).toContain('<a href="/console/approvals">4 waiting</a>');
    expect(card).toContain('1 account');
  },
);

it('has numbers alone for a viewer, who sees neither cases nor approvals', () => {
  const card = cardFor('viewer');
  expect(card).toContain('2 of high severity');
  expect(card).not.toContain('href="/console/cases');
  expect(card).not.toContain('approvals');
});

it('says what is unknown while the database does not answer', () => {
  const card = cardFor('moderator', { ...overview, cases: null, erasures: null });
  expect(card.match(/unknown/g)).toHaveLength(2);
});
