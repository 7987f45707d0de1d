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

  it('is complete again for a reader with the value', () => {
    expect(codec.restore(stored, id)).toEqual({ ...content, jti: id, exp: 1 });
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

  it('that has ended reads as an expired one', () => {
    expect(interaction.restore({ exp: 0 }, id)).toMatchObject({ exp: 0 });
  });
});
