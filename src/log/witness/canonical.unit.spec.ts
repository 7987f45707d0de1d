import { describe, expect, it } from '@jest/globals';
import { canonicalJson, restrictionHash } from './canonical.js';

const deletion = {
  stream: 'post-p',
  event: { type: 'post.deleted', data: { postId: 'p', authorActorId: 'ada', at: 1 } },
  metadata: { requestId: 'r', addressClass: 'loopback', actorId: 'ada', intentId: 'i', payloadHash: 'h' },
} as const;
const hash = restrictionHash(deletion).toString('hex');
const hashWith = (metadata: object) =>
  restrictionHash({ ...deletion, metadata: { ...deletion.metadata, ...metadata } }).toString('hex');

describe('the canonical text of a value', () => {
  it('does not depend on the order of members, nor on absent ones', () => {
    expect(canonicalJson({ b: [{ d: null, c: 'ü"' }], a: 1, e: undefined })).toBe(
      '{"a":1,"b":[{"c":"ü\\"","d":null}]}',
    );
    expect(canonicalJson({ a: 1, b: [{ c: 'ü"', d: null }] })).toBe('{"a":1,"b":[{"c":"ü\\"","d":null}]}');
  });
});

describe('the hash of a restriction', () => {
  it('never changes, because ledgers store it', () => {
    expect(hash).toBe('8f86d29ac0b15b281217907678a400764b9dcbdbccac00375221c9f5dab1257b');
  });

  it('does not depend on the time and origin of an attempt', () => {
    const data = { ...deletion.event.data, at: 2 };
    expect(restrictionHash({ ...deletion, event: { type: 'post.deleted', data } }).toString('hex')).toBe(
      hash,
    );
    expect(
      hashWith({ requestId: 'later', grantId: 'another', addressClass: 'private', witnessEpoch: 7 }),
    ).toBe(hash);
  });

  it.each([{ payloadHash: 'another' }, { actorId: 'bob' }, { appId: 'a' }, { reason: 'x' }])(
    'differs for %p',
    (metadata) => {
      expect(hashWith(metadata)).not.toBe(hash);
    },
  );
});
