import type { Handle } from '../account/account.js';
import type { HandleClaimed, HandleReleased } from '../account/events.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import { profileHasChanged } from './profile.js';
import type { Profile } from './profile.js';

/**
 * Change of a handle: a claim names one revision of the profile, and each revision exists once. Of concurrent requests
 * for a revision, at most one wins. Once the profile reaches that revision, the claim is decided: the handle is in use,
 * or safe to release.
 */

export interface HandleClaim {
  readonly actorId: string;
  readonly profileRevision: number;
  readonly at: number;
}

export function claimForProfile(
  handle: Handle,
  claim: HandleClaim,
  { isReserved }: { readonly isReserved: boolean },
): Decision<HandleClaimed> {
  const isOwn = handle.status === 'held' && handle.actorId === claim.actorId;
  if (!isOwn && (isReserved || handle.status === 'held'))
    return new Refusal('effect_mismatch', 'The handle is taken; choose another.');
  if (handle.status === 'held') {
    if (handle.profileRevision === claim.profileRevision) return [];
    if (handle.profileRevision > claim.profileRevision) return profileHasChanged();
  }
  return [{ type: 'handle.claimed', data: { ...claim } }];
}

/**
 * Releases `name` if the person claimed it without using it. `handle`: state of the stream of `name`. `profile`: of the
 * person; an outdated one releases no handle that is in use.
 */
export function releaseUnused(
  handle: Handle,
  name: string,
  profile: Profile,
  at: number,
): Decision<HandleReleased> {
  const { actorId, revision, heldHandle } = profile;
  if (handle.status === 'free' || handle.actorId !== actorId) return [];
  if (handle.profileRevision > revision || heldHandle === name) return [];
  return [{ type: 'handle.released', data: { actorId, at } }];
}
