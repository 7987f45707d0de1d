import { beforeAll, describe, expect, it } from '@jest/globals';
import { protocolConfiguration } from './rules/policy.js';
import {
  keySetForProvider,
  PUBLISHED_BEFORE_USE_MS,
  makeSigningKey,
  readRing,
  keyPhases,
  writeRing,
} from './signing-keys.js';
import type { KeyRing, SigningKey } from './signing-keys.js';

const ROTATED = 1_000_000_000;
const SIGNS = ROTATED + PUBLISHED_BEFORE_USE_MS;
/** The longest lifetime of a token of the old key, plus the margin for slow servers and clocks. */
const GONE = SIGNS + 7 * 60_000;

let first: SigningKey;
let second: SigningKey;
let ring: KeyRing;

beforeAll(async () => {
  first = await makeSigningKey(0);
  second = await makeSigningKey(SIGNS);
  ring = [first, second];
});

const at = (now: number) =>
  keySetForProvider(ring, now).keys.map(({ kid }) => (kid === first.jwk.kid ? 'old' : 'new'));

describe('a rotated signing key', () => {
  it.each([
    ['is published at once, and does not sign yet', ROTATED, ['old', 'new']],
    ['does not sign a moment too early', SIGNS - 1, ['old', 'new']],
    ['signs once every client can know it, while the old one is still published', SIGNS, ['new', 'old']],
    ['is published with the old one until the old one’s last token has expired', GONE - 1, ['new', 'old']],
    ['is the only one after that', GONE, ['new']],
  ])('%s', (_case, now, published) => {
    expect(at(now)).toEqual(published);
  });

  it('is published before it signs, so that clients with a cached key set know it', () => {
    expect(PUBLISHED_BEFORE_USE_MS).toBeGreaterThan(60_000 + 5_000);
  });

  it('outlives its tokens by more than a minute', () => {
    const { IdToken: seconds } = protocolConfiguration('http://localhost:3000', Buffer.alloc(32)).ttl;
    expect(GONE - SIGNS).toBeGreaterThan(seconds * 1_000 + 60_000);
  });

  it('has a phase', () => {
    expect(keyPhases(ring, ROTATED).map(({ state }) => state)).toEqual(['signing', 'next']);
    expect(keyPhases(ring, SIGNS)).toMatchObject([{ state: 'retired', until: GONE }, { state: 'signing' }]);
  });

  it('retires at the next rotation', async () => {
    const third = await makeSigningKey(SIGNS + 1_000);
    const all = [...ring, third];
    expect(keyPhases(all, SIGNS + 1_000)).toMatchObject([
      { state: 'retired', until: GONE },
      { state: 'retired', until: GONE + 1_000 },
      { state: 'signing' },
    ]);
    expect(keyPhases(all, GONE).map(({ jwk }) => jwk.kid)).toEqual([second.jwk.kid, third.jwk.kid]);
  });

  it('signs if it is the only one, even if the clock is slow', () => {
    expect(keySetForProvider([second], 0).keys).toEqual([second.jwk]);
  });
});

describe('the key ring in the vault', () => {
  it('is read as it was written', () => {
    expect(readRing(writeRing(ring))).toEqual(ring);
  });

  it('is read in the format of the first release, under the key id that the library gave it', () => {
    const { kid, ...jwk } = first.jwk;
    expect(readRing(Buffer.from(JSON.stringify({ keys: [jwk] })))).toEqual([
      { jwk: { ...jwk, kid }, signsFrom: 0 },
    ]);
  });

  it('can be read by the first release, which signs with the first key', () => {
    const { keys } = JSON.parse(writeRing(ring).toString()) as { keys: { kid: string }[] };
    expect(keys[0]?.kid).toBe(first.jwk.kid);
  });

  it.each(['{"keys":[{"kty":"RSA","d":"secret"}]}', '{"keys":[{"d":"secret"'])(
    'is refused if invalid, without quoting it: %s',
    (stored) => {
      expect(() => readRing(Buffer.from(stored))).toThrow(
        /^the signing keys in the vault are invalid; expected a JSON object with RSA keys$/,
      );
    },
  );
});
