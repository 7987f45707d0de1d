import { describe, expect, it } from '@jest/globals';
import { evolveNetwork, noNetwork, rotateSigningKey } from './network.js';
import type { NetworkEvent } from './network.js';

const given = (...events: NetworkEvent[]) => events.reduce(evolveNetwork, noNetwork);

const founded: NetworkEvent = { type: 'network.founded', data: { networkId: 'n', at: 1 } };
const rotation = { keyId: 'k', signsFrom: 95, at: 5 };
const rotated: NetworkEvent = { type: 'network.signing_key_rotated', data: rotation };

describe('a signing key', () => {
  it('is put down once', () => {
    expect(rotateSigningKey(given(founded), rotation)).toEqual([rotated]);
    expect(rotateSigningKey(given(founded, rotated), { ...rotation, at: 6 })).toEqual([]);
    expect(rotateSigningKey(given(founded, rotated), { ...rotation, keyId: 'l' })).toHaveLength(1);
  });

  it('is refused in a log that founds no network', () => {
    expect(rotateSigningKey(given(), rotation)).toMatchObject({ code: 'recovery_state_missing' });
  });
});
