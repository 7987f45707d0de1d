import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { evolveHandle, freeHandle } from '../account/account.js';
import type { Handle } from '../account/account.js';
import type { HandleClaimed, HandleReleased } from '../account/events.js';
import { Refusal } from '../refusal.js';
import { claimForProfile, releaseUnused } from './handle.js';
import type { Profile } from './profile.js';

const claimed = (profileRevision?: number, actorId = 'ada'): HandleClaimed => ({
  type: 'handle.claimed',
  data: { actorId, at: 5, ...(profileRevision !== undefined && { profileRevision }) },
});
const heldFor = (profileRevision?: number, actorId?: string) =>
  evolveHandle(freeHandle, claimed(profileRevision, actorId));
const claim = (handle: Handle, profileRevision: number, isReserved = false) =>
  claimForProfile(handle, { actorId: 'ada', profileRevision, at: 5 }, { isReserved });
const profile = (revision: number, heldHandle: string): Profile => ({
  actorId: 'ada',
  handle: heldHandle,
  displayName: 'Ada',
  bio: '',
  website: '',
  revision,
  heldHandle,
});
const released: HandleReleased = { type: 'handle.released', data: { actorId: 'ada', at: 6 } };

describe('a handle that a profile requests', () => {
  it('is claimed if it is free, or was the person’s since an older revision', () => {
    expect(claim(freeHandle, 2)).toEqual([claimed(2)]);
    expect(claim(heldFor(), 2)).toEqual([claimed(2)]);
    expect(claim(heldFor(2), 3)).toEqual([claimed(3)]);
  });

  it('needs no second claim for the same revision', () => {
    expect(claim(heldFor(2), 2)).toEqual([]);
  });

  it('is not claimed for an outdated revision', () => {
    expect(claim(heldFor(3), 2)).toMatchObject({ code: 'revision_conflict' });
  });

  it('is refused to everybody else', () => {
    expect(claim(heldFor(2, 'bob'), 2)).toMatchObject({ code: 'effect_mismatch' });
  });

  it('is refused like a taken one if it is reserved, unless the person has it from before', () => {
    expect(claim(freeHandle, 2, true)).toEqual(claim(heldFor(2, 'bob'), 2));
    expect(claim(heldFor(), 2, true)).toEqual([claimed(2)]);
  });
});

describe('a handle that a profile does not have', () => {
  const release = (handle: Handle, of: Profile) => releaseUnused(handle, 'ada', of, 6);

  it('is released once the profile can no longer get it', () => {
    expect(release(heldFor(), profile(2, 'countess'))).toEqual([released]);
    expect(release(heldFor(2), profile(2, 'countess'))).toEqual([released]);
  });

  it('is kept while the profile may still get it', () => {
    expect(release(heldFor(3), profile(2, 'countess'))).toEqual([]);
  });

  it('is left alone if it is in use, free or another’s', () => {
    expect(release(heldFor(2), profile(2, 'ada'))).toEqual([]);
    expect(release(freeHandle, profile(2, 'countess'))).toEqual([]);
    expect(release(heldFor(2, 'bob'), profile(2, 'countess'))).toEqual([]);
  });
});

/**
 * Concurrent requests of one person who saw revision 1 or a result of it. Each claims a handle, changes the profile,
 * then releases unused handles. The steps run in any order, may stop anywhere, and may use outdated reads of the
 * profile.
 */
describe('for any order of concurrent requests', () => {
  it('a profile never has an unclaimed handle', () => {
    const step = fc.record({
      request: fc.nat(2),
      act: fc.constantFrom('look', 'claim', 'change', 'release'),
    });
    const wishes = fc.array(fc.constantFrom('ada', 'bea', 'cleo'), { minLength: 3, maxLength: 3 });
    const result = fc.check(
      fc.property(wishes, fc.array(step, { maxLength: 60, size: 'max' }), (wanted, steps) => {
        let now = profile(1, 'ada');
        const handles = new Map<string, Handle>([['ada', heldFor()]]);
        const of = (name: string) => handles.get(name) ?? freeHandle;
        const seen = wanted.map(() => now);
        const mayChange = wanted.map(() => false);
        for (const { request, act } of steps) {
          const name = wanted[request] ?? '';
          const known = seen[request] ?? now;
          if (act === 'look') {
            seen[request] = now;
            mayChange[request] = name === now.heldHandle;
          } else if (act === 'claim' && name !== known.heldHandle) {
            const decision = claim(of(name), known.revision + 1);
            if (decision instanceof Refusal) continue;
            mayChange[request] = true;
            for (const event of decision) handles.set(name, evolveHandle(of(name), event));
          } else if (act === 'change' && mayChange[request] && known.revision === now.revision) {
            now = profile(now.revision + 1, name);
          } else if (act === 'release') {
            for (const other of handles.keys()) {
              const decision = releaseUnused(of(other), other, known, 6);
              if (decision instanceof Refusal) continue;
              for (const event of decision) handles.set(other, evolveHandle(of(other), event));
            }
          }
          if (of(now.heldHandle).status === 'free') return false;
        }
        return true;
      }),
      { numRuns: 20_000 },
    );
    expect(result.counterexample).toBeNull();
  });
});
