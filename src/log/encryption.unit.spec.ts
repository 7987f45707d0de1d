import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decrypt, payloadDigest, encrypt } from './encryption.js';

const keyOf = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) });
const alices = keyOf('a');
const sealed = encrypt(alices, '{"text":"hello"}', 'event-1 post.created', randomBytes(12));

describe('a sealed box', () => {
  it('opens with its key in its event', () => {
    expect(decrypt(alices, sealed, 'event-1 post.created')).toBe('{"text":"hello"}');
  });

  it('shows nothing of its text', () => {
    expect(Buffer.from(sealed.box, 'base64url').toString('latin1')).not.toContain('hello');
    expect(sealed.keyId).toBe('a');
  });

  it('opens with no other key', () => {
    expect(() => decrypt(keyOf('a'), sealed, 'event-1 post.created')).toThrow('unable to authenticate');
  });

  it('does not open in another event', () => {
    expect(() => decrypt(alices, sealed, 'event-2 post.created')).toThrow('unable to authenticate');
  });

  it('does not open once a bit of it is changed', () => {
    const box = Buffer.from(sealed.box, 'base64url');
    box.writeUInt8(box.readUInt8(14) ^ 1, 14);
    const altered = { ...sealed, box: box.toString('base64url') };
    expect(() => decrypt(alices, altered, 'event-1 post.created')).toThrow('unable to authenticate');
  });
});

describe('the digest of a payload', () => {
  it('is one for one payload and person, and another for another of either', () => {
    const digest = payloadDigest(alices, { text: 'hello' });
    expect(payloadDigest(alices, { text: 'hello' })).toBe(digest);
    expect(payloadDigest(alices, { text: 'hello!' })).not.toBe(digest);
    expect(payloadDigest(keyOf('b'), { text: 'hello' })).not.toBe(digest);
  });
});
