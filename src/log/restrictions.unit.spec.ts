import { describe, expect, it } from '@jest/globals';
import { restrictionId } from './restrictions.js';

const metadata = { requestId: 'r', appId: 'app', actorId: 'ada', intentId: 'i' };

describe('the id of a restriction', () => {
  it('is the same for each attempt of an intent', () => {
    const first = restrictionId('post.deleted', 'post-p', metadata);
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(restrictionId('post.deleted', 'post-p', { ...metadata, requestId: 'later' })).toBe(first);
  });

  it.each([
    ['of another kind', 'post.restricted', 'post-p', metadata],
    ['on another stream', 'post.deleted', 'post-q', metadata],
    ['of another actor', 'post.deleted', 'post-p', { ...metadata, actorId: 'bob' }],
    ['through another application', 'post.deleted', 'post-p', { ...metadata, appId: 'other' }],
    ['by another intent', 'post.deleted', 'post-p', { ...metadata, intentId: 'j' }],
  ] as const)('is another for a restriction %s', (_what, type, stream, by) => {
    expect(restrictionId(type, stream, by)).not.toBe(restrictionId('post.deleted', 'post-p', metadata));
  });

  it('does not exist without an intent', () => {
    expect(
      restrictionId('account.suspended', 'account-a', { requestId: 'r', operator: 'o' }),
    ).toBeUndefined();
  });
});
