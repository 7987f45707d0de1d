import { describe, expect, it } from '@jest/globals';
import type { Restriction, WitnessedRestriction } from './witness.js';
import { restrictionHash } from './canonical.js';
import { decide, emptyLedger } from './ledger.js';
import { withVersion, toNewestShape } from './shape.js';

const restriction: Restriction = {
  id: '0a1b2c3d-0000-8000-8000-000000000000',
  stream: 'post-p',
  event: { type: 'post.deleted', data: { postId: 'p', authorActorId: 'ada', at: 1 } },
  metadata: { requestId: 'r' },
};
const witnessedAs = (stored: Restriction): WitnessedRestriction => ({
  epoch: 1n,
  state: 'prepared',
  hash: restrictionHash(stored),
  position: undefined,
  preparedAt: 1,
  restriction: stored,
});
const second = { version: 2, upcasters: [(first: object) => ({ ...first, cause: 'author' })] };

describe('a restriction of the ledger', () => {
  it('is stored with the version of its shape, and read without it', () => {
    const step = decide(undefined, { verb: 'prepare', restriction }, emptyLedger, () => false);
    expect(step).toMatchObject({ restriction: { ...restriction, version: 1 } });
    expect(toNewestShape(witnessedAs(withVersion(restriction)))).toEqual(witnessedAs(restriction));
  });

  it.each([withVersion(restriction), restriction])(
    'is upcast to the newest shape, like an event of the log',
    (stored) => {
      const data = { ...restriction.event.data, cause: 'author' };
      const upcasted = { ...restriction, event: { ...restriction.event, data } };
      expect(toNewestShape(witnessedAs(stored), second)).toEqual(witnessedAs(upcasted as Restriction));
    },
  );

  it('of an unknown shape is rejected', () => {
    expect(() =>
      toNewestShape(witnessedAs({ ...withVersion(restriction), version: 2 } as Restriction)),
    ).toThrow('version 2');
  });
});
