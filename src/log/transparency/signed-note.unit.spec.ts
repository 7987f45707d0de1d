import { createPrivateKey, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { logOrigin } from './origin.js';
import { noteText, signNote, verifierKey } from './signed-note.js';
import type { NoteSigner } from './signed-note.js';

/** The example of C2SP signed-note, with its key from the documentation of Go's package golang.org/x/mod/sumdb/note. */
const secret = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
const key = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const text = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.
`;
const note = `${text}
\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`;

const bytesIn = (encoded: string) => Buffer.from(encoded.split('+').slice(-1)[0] ?? '', 'base64').subarray(1);

function peter(): NoteSigner {
  // The base64 of the secret has a + of its own.
  const seed = Buffer.from(secret.slice('PRIVATE+KEY+PeterNeumann+c74f20a3+'.length), 'base64').subarray(1);
  const publicKey = bytesIn(key);
  const jwk = {
    kty: 'OKP',
    crv: 'Ed25519',
    d: seed.toString('base64url'),
    x: publicKey.toString('base64url'),
  };
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  return { name: 'PeterNeumann', publicKey, sign: (bytes) => sign(null, bytes, privateKey) };
}

describe('a signed note', () => {
  it('is the example of the specification', () => {
    expect(signNote(text, [peter()])).toBe(note);
    expect(verifierKey(peter())).toBe(key);
  });

  it('has a line for each signer, while one key follows another', () => {
    const lines = signNote('text\n', [peter(), { ...peter(), name: 'next' }]).split('\n');
    expect(lines.slice(0, 2)).toEqual(['text', '']);
    expect(lines.slice(2).map((line) => line.split(' ')[1])).toEqual(['PeterNeumann', 'next', undefined]);
  });

  it('gives its text back, also with empty lines in it', () => {
    expect(noteText(signNote('a\n\nb\n', [peter()]))).toBe('a\n\nb\n');
    expect(noteText('no note\n')).toBeUndefined();
  });

  it.each(['no newline', 'a tab\t\n', 'half \ud800\n'])('refuses the text %j', (wrong) => {
    expect(() => signNote(wrong, [peter()])).toThrow(TypeError);
  });

  it.each(['', 'two words', 'a+b', 'a\u00a0b', 'a\u0001'])('refuses the name %j', (name) => {
    expect(() => signNote('text\n', [{ ...peter(), name }])).toThrow(TypeError);
    expect(() => verifierKey({ ...peter(), name })).toThrow(TypeError);
  });
});

describe('the origin of a log', () => {
  it('is its address without the scheme', () => {
    expect(logOrigin('https://plaza.example')).toBe('plaza.example/log/1');
    expect(logOrigin('http://localhost:3000', 2)).toBe('localhost:3000/log/2');
  });
});
