import { describe, expect, it } from '@jest/globals';
import type { Restriction, Witnessed } from './witness.js';
import { restrictionHash } from './canonical.js';
import { decide, noLines } from './ledger.js';
import { dated, inNewestShape } from './shape.js';

const restriction: Restriction = {
  id: '0a1b2c3d-0000-8000-8000-000000000000',
  stream: 'post-p',
  event: { type: 'post.deleted', data: { postId: 'p', authorActorId: 'ada', at: 1 } },
  metadata: { requestId: 'r' },
};
const put = (kept: Restriction): Witnessed => ({
  epoch: 1n,
  state: 'prepared',
  hash: restrictionHash(kept),
  position: undefined,
  preparedAt: 1,
  restriction: kept,
});
const second = { version: 2, upcasters: [(first: object) => ({ ...first, cause: 'author' })] };

describe('a restriction of the ledger', () => {
  it('is put down with the version of its shape, and read without', () => {
    const step = decide(undefined, { verb: 'prepare', restriction }, noLines, () => false);
    expect(step).toMatchObject({ restriction: { ...restriction, version: 1 } });
    expect(inNewestShape(put(dated(restriction)))).toEqual(put(restriction));
  });

  it.each([dated(restriction), restriction])('is lifted to the newest shape, as the log reads it', (kept) => {
    const data = { ...restriction.event.data, cause: 'author' };
    const lifted = { ...restriction, event: { ...restriction.event, data } };
    expect(inNewestShape(put(kept), second)).toEqual(put(lifted as Restriction));
  });

  it('of a shape that is not known yet is not read', () => {
    expect(() => inNewestShape(put({ ...dated(restriction), version: 2 } as Restriction))).toThrow(
      'version 2',
    );
  });
});
