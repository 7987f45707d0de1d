import { expect, it } from '@jest/globals';
import { bringActs } from '../../console/may.js';
import { actTable } from '../../entrances/table.js';
import { approvalPage } from './approval.page.js';

bringActs(actTable);

const request = {
  approvalId: 'a',
  act: 'account.suspend',
  requestedBy: 'bob',
  requestedByName: 'Bob',
  requestedAt: 0,
  expiresAt: 1,
  reason: null,
  decidedBy: null,
  decidedByName: null,
  decidedAt: null,
  decision: null,
  digest: 'd',
  facts: {},
  asks: 'asks',
  does: 'does',
  about: null,
  sample: [],
};
const session = {
  operatorId: 'ada',
  roles: ['administrator', 'moderator'],
  name: 'x',
  expiresAt: 0,
} as never;

it.each(['waiting', 'given', 'carried_out'] as const)(
  'shows the act of another release that is %s, without forms and links',
  (state) => {
    const page = (act: string) => approvalPage({ proof: '', session }, { ...request, state, act });
    expect(page('account.paint')).toContain('<h1 id="approval">asks');
    expect(page('account.paint')).not.toContain('/console/approvals/a/');
    expect(page('account.suspend').includes('/console/approvals/a/refuse')).toBe(state !== 'carried_out');
  },
);
