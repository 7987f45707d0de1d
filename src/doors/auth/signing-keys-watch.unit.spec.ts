import { beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { keySetForProvider, PUBLISHED_BEFORE_USE_MS, makeSigningKey } from './signing-keys.js';
import type { KeyRing, KeySet, SigningKey } from './signing-keys.js';
import { SigningKeyWatch } from './signing-keys-watch.js';

let first: SigningKey;
let second: SigningKey;

beforeAll(async () => {
  [first, second] = await Promise.all([makeSigningKey(0), makeSigningKey(PUBLISHED_BEFORE_USE_MS)]);
});

/** A watch on a vault with this ring, or unreachable without one; the applied key sets and the log lines. */
function watching(start: KeyRing) {
  const world = { ring: start as KeyRing | undefined, now: 0, unusable: '' };
  const taken: KeySet[] = [];
  const logged: string[] = [];
  const clock = { now: () => world.now };
  const vault = {
    ring: () => (world.ring ? Promise.resolve(world.ring) : Promise.reject(new Error('the vault is away'))),
  };
  const take = (keys: KeySet) => {
    if (keys.keys.some(({ kid }) => kid === world.unusable)) throw new Error('nobody can sign with that');
    taken.push(keys);
  };
  const logger = pino({ level: 'warn' }, { write: (line: string) => logged.push(line) });
  return {
    world,
    taken,
    logged,
    watch: new SigningKeyWatch(vault, clock, logger, keySetForProvider(start, 0), take),
  };
}

const kidsOf = (keys: KeySet | undefined) => keys?.keys.map(({ kid }) => kid);

describe('a server that watches the signing keys', () => {
  it('applies a new key, and signs with it on time even if the vault is unavailable', async () => {
    const { world, taken, logged, watch } = watching([first]);
    world.ring = [first, second];
    await watch.refresh();
    expect(taken.map(kidsOf)).toEqual([[first.jwk.kid, second.jwk.kid]]);
    world.ring = undefined;
    world.now = PUBLISHED_BEFORE_USE_MS;
    await watch.refresh();
    await watch.refresh();
    expect(kidsOf(taken.at(-1))).toEqual([second.jwk.kid, first.jwk.kid]);
    expect(taken).toHaveLength(2);
    expect(logged).toHaveLength(1);
  });

  it('keeps its keys if the vault has no usable ones', async () => {
    const { world, taken, logged, watch } = watching([first]);
    await watch.refresh();
    Object.assign(world, { ring: [first, second], unusable: second.jwk.kid });
    await watch.refresh();
    await watch.refresh();
    expect(taken).toEqual([]);
    expect(logged).toHaveLength(1);
    world.unusable = '';
    await watch.refresh();
    expect(kidsOf(taken[0])).toEqual([first.jwk.kid, second.jwk.kid]);
  });
});
