import { describe, expect, it } from '@jest/globals';
import { operatorLines } from './operator-table.js';

type Listed = Parameters<typeof operatorLines>[0][number];

const operator: Listed = {
  operatorId: 'o1',
  name: 'Grace',
  state: 'active',
  roles: ['viewer', 'auditor'],
  invitedAt: 0,
  invitationExpiresAt: null,
  needsConfirmation: false,
  sameNameAs: [],
  tokens: [],
  passkeys: [],
};

const token = { label: 'laptop', issuedAt: 0, expiresAt: 0, revokedAt: null, lastUsedOn: null };

/** The table with one space for each gap. */
const textOf = (listed: Listed): string => operatorLines([listed]).join(' ').replaceAll(/\s+/g, ' ');

describe('the table of operators', () => {
  it('says that nobody is invited', () => {
    expect(operatorLines([])).toEqual(['no operator is invited']);
  });

  it('has the tokens of each, with their last use and without a secret', () => {
    const tokens = [
      { ...token, tokenId: 't1' },
      { ...token, tokenId: 't2', revokedAt: 0, lastUsedOn: '2026-01-31' },
    ];
    expect(textOf({ ...operator, tokens })).toMatch(
      /o1 active viewer Grace .*auditor .*token t1 until .*, never used: laptop .*token t2 revoked .*, last used on 2026-01-31: laptop/,
    );
  });

  it('marks names that two have', () => {
    expect(textOf({ ...operator, sameNameAs: ['o2'] })).toMatch(
      /o1 active viewer Grace auditor SAME NAME as o2/,
    );
  });

  it('marks open invitations, and those that an administrator must confirm', () => {
    const text = textOf({ ...operator, state: 'invited', invitationExpiresAt: 0, needsConfirmation: true });
    expect(text).toMatch(/o1 invited viewer Grace NOT CONFIRMED auditor invited until /);
  });
});
