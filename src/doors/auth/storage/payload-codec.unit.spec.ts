import { createDecipheriv, hkdfSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { interactionPayload, plainPayload, sessionPayload } from './payload-codec.js';
import type { PayloadCodec } from './payload-codec.js';

const id = 'the-value-that-names-it';
const interaction = interactionPayload((uid) => `https://plaza.example/${uid}`);

const kinds: readonly (readonly [string, PayloadCodec, Record<string, unknown>])[] = [
  ['a token', plainPayload, { scope: 'read' }],
  [
    'a session',
    sessionPayload,
    { accountId: 'a', state: { secret: 'xsrf', postLogoutRedirectUri: `/${id}` } },
  ],
  ['a session without a sign-out', sessionPayload, { accountId: 'a' }],
  [
    'an interaction',
    interaction,
    { params: { id_token_hint: 'hint' }, prompt: { name: 'login' }, returnTo: `https://plaza.example/${id}` },
  ],
];

describe.each(kinds)('the stored payload of %s', (_what, codec, content) => {
  const stored = codec.strip({ ...content, jti: id, exp: 1 }, id);

  it('contains neither its value nor another secret', () => {
    expect(JSON.stringify(stored)).not.toMatch(new RegExp(`${id}|xsrf|hint`));
  });

  it('is complete for a reader with the value', () => {
    expect(codec.restore(stored, id)).toEqual({ ...content, jti: id, exp: 1 });
  });
});

describe('the stored format of the first release', () => {
  it.each([
    [
      'a session',
      sessionPayload,
      '9_Mm5wx8aGwOtx0-z2spednxGyypAe2hKIHRrVDinGh2cx4wShQA_JkoqGUrPyCoWAmzlzAoNzHAHWlGP-GvOJVIgTw3VzD1rbv3J2dk-RxU2_JBpoF9UQ',
      { state: { secret: 'xsrf', postLogoutRedirectUri: '/there' } },
    ],
    [
      'an interaction',
      interaction,
      'CzmPlSrw62qmXBn-jWgVhG_hKCtT8td0iZJjVO3E4Ipl_RDP94R_I_M_yJhDJpjOj4BMEJXY5R3LovQYnv9KzfKrhzfXDywHuDN3qXLAZ_SbNEjFSMICnUw',
      { params: { id_token_hint: 'hint' }, prompt: { name: 'login' } },
    ],
  ] as const)('of %s is read', (_kind, codec, sealed, content) => {
    expect(codec.restore({ sealed }, id)).toMatchObject(content);
  });

  it('is written: nonce, tag and ciphertext, without additional data', () => {
    const { sealed } = interaction.strip({ params: { state: 's' } }, id);
    const bytes = Buffer.from(String(sealed), 'base64url');
    const key = Buffer.from(hkdfSync('sha256', id, '', 'plaza record', 32));
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAuthTag(bytes.subarray(12, 28));
    const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    expect(JSON.parse(text.toString())).toEqual({ params: { state: 's' } });
  });
});

describe('an interaction', () => {
  it('does not keep the cookie of its session', () => {
    const session = { accountId: 'a', uid: 'u', cookie: 'c' };
    const stored = interaction.strip({ session, params: {} }, id);
    expect(interaction.restore(stored, id)).toMatchObject({ session: { accountId: 'a', uid: 'u' } });
    expect(JSON.stringify(stored)).not.toContain('cookie');
  });

  it('cannot be read with another value', () => {
    const stored = interaction.strip({ params: { state: 's' } }, id);
    expect(() => interaction.restore(stored, 'another')).toThrow('unable to authenticate data');
  });

  it('reads as expired once it has ended', () => {
    expect(interaction.restore({ exp: 0 }, id)).toMatchObject({ exp: 0 });
  });
});
