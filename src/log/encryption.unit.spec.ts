import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decrypt, payloadDigest, encrypt } from './encryption.js';

const keyOf = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) });
/** 0, 1, 2 and so on. */
const bytes = (count: number) => Buffer.from(Array.from({ length: count }, (_none, at) => at));
const aliceKey = keyOf('a');
const encrypted = encrypt(aliceKey, '{"text":"hello"}', 'event-1 post.created', randomBytes(12));

describe('an encrypted field', () => {
  it('decrypts with its key in its event', () => {
    expect(decrypt(aliceKey, encrypted, 'event-1 post.created')).toBe('{"text":"hello"}');
  });

  it('has the stored format of the first release', () => {
    const key = { id: 'a', key: createSecretKey(bytes(32)) };
    const stored = { keyId: 'a', box: 'AAECAwQFBgcICQoLPCCifr2R4CGvKfLn3YZaECWPuzRixMY2EqsPaiTbQEo' };
    expect(encrypt(key, '{"text":"hello"}', 'event-1 post.created', bytes(12))).toEqual(stored);
    expect(decrypt(key, stored, 'event-1 post.created')).toBe('{"text":"hello"}');
  });

  it('does not contain its text', () => {
    expect(Buffer.from(encrypted.box, 'base64url').toString('latin1')).not.toContain('hello');
    expect(encrypted.keyId).toBe('a');
  });

  it('decrypts with no other key', () => {
    expect(() => decrypt(keyOf('a'), encrypted, 'event-1 post.created')).toThrow('unable to authenticate');
  });

  it('does not decrypt in another event', () => {
    expect(() => decrypt(aliceKey, encrypted, 'event-2 post.created')).toThrow('unable to authenticate');
  });

  it('does not decrypt once any bit of it is changed', () => {
    const bytes = Buffer.from(encrypted.box, 'base64url');
    bytes.writeUInt8(bytes.readUInt8(14) ^ 1, 14);
    const altered = { ...encrypted, box: bytes.toString('base64url') };
    expect(() => decrypt(aliceKey, altered, 'event-1 post.created')).toThrow('unable to authenticate');
  });
});

describe('the digest of a payload', () => {
  it('depends only on the payload and the person', () => {
    const digest = payloadDigest(aliceKey, { text: 'hello' });
    expect(payloadDigest(aliceKey, { text: 'hello' })).toBe(digest);
    expect(payloadDigest(aliceKey, { text: 'hello!' })).not.toBe(digest);
    expect(payloadDigest(keyOf('b'), { text: 'hello' })).not.toBe(digest);
  });
});
