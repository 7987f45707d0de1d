import { describe, expect, it } from '@jest/globals';
import {
  beginBackup,
  evolveNetwork,
  limitSharedToken,
  noNetwork,
  pausePublishing,
  recordRestore,
  resumePublishing,
  rotateSigningKey,
} from './network.js';
import type { NetworkEvent } from './network.js';

const given = (...events: NetworkEvent[]) => events.reduce(evolveNetwork, noNetwork);

const founded: NetworkEvent = { type: 'network.founded', data: { networkId: 'n', at: 1 } };
const rotation = { keyId: 'k', signsFrom: 95, at: 5 };
const rotated: NetworkEvent = { type: 'network.signing_key_rotated', data: rotation };
const paused: NetworkEvent = { type: 'network.publishing_paused', data: { at: 6 } };
const resumed: NetworkEvent = { type: 'network.publishing_resumed', data: { at: 7 } };

describe('a signing key', () => {
  it('is recorded once', () => {
    expect(rotateSigningKey(given(founded), rotation)).toEqual([rotated]);
    expect(rotateSigningKey(given(founded, rotated), { ...rotation, at: 6 })).toEqual([]);
    expect(rotateSigningKey(given(founded, rotated), { ...rotation, keyId: 'l' })).toHaveLength(1);
  });

  it('is refused in a log without a network', () => {
    expect(rotateSigningKey(given(), rotation)).toMatchObject({ code: 'recovery_state_missing' });
  });
});

describe('publishing', () => {
  it('is paused once and resumed once, repeatedly', () => {
    expect(pausePublishing(given(founded), 6)).toEqual([paused]);
    expect(pausePublishing(given(founded, paused), 8)).toEqual([]);
    expect(resumePublishing(given(founded, paused, rotated), 7)).toEqual([resumed]);
    expect(resumePublishing(given(founded, paused, resumed), 8)).toEqual([]);
    expect(pausePublishing(given(founded, paused, resumed), 6)).toEqual([paused]);
  });

  it('was never paused in a new network', () => {
    expect(resumePublishing(given(founded), 7)).toEqual([]);
  });

  it.each([pausePublishing, resumePublishing])('is refused in a log without a network', (decide) => {
    expect(decide(given(), 6)).toMatchObject({ code: 'recovery_state_missing' });
  });
});

describe('a backup', () => {
  it('is recorded each time', () => {
    const begun: NetworkEvent = { type: 'network.backup_begun', data: { backupId: 'b', at: 9 } };
    expect(beginBackup(given(founded), begun.data)).toEqual([begun]);
    expect(beginBackup(given(founded, begun), begun.data)).toEqual([begun]);
  });

  it('is refused in a log without a network', () => {
    expect(beginBackup(given(), { backupId: 'b', at: 9 })).toMatchObject({ code: 'recovery_state_missing' });
  });
});

describe('the shared token', () => {
  const limited: NetworkEvent = { type: 'network.shared_token_limited', data: { at: 9 } };

  it('is limited once, for good', () => {
    expect(limitSharedToken(given(founded), 9)).toEqual([limited]);
    expect(limitSharedToken(given(founded, limited), 10)).toEqual([]);
  });

  it('is not limited in a log without a network', () => {
    expect(limitSharedToken(given(), 9)).toMatchObject({ code: 'recovery_state_missing' });
  });
});

describe('a restore', () => {
  const restored: NetworkEvent = {
    type: 'network.restored',
    data: { restoreId: 'r', backupId: 'b', parts: ['log'], at: 9 },
  };

  it('is recorded once', () => {
    expect(recordRestore(given(founded), restored.data)).toEqual([restored]);
    expect(recordRestore(given(founded, restored), restored.data)).toEqual([]);
    expect(recordRestore(given(founded, restored), { ...restored.data, restoreId: 's' })).toHaveLength(1);
  });

  it('is refused in a log without a network', () => {
    expect(recordRestore(given(), restored.data)).toMatchObject({ code: 'recovery_state_missing' });
  });
});
