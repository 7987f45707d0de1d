import type { Handle } from '../account/account.js';
import type { HandleClaimed, HandleReleased } from '../account/events.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import { profileHasChanged } from './profile.js';
import type { Profile } from './profile.js';

/**
 * How a person comes to another handle. A claim is for one revision of the claimer's profile, and a profile gets each
 * revision once: of several requests of one person that want the same one, at most one wins. Once the profile has come
 * that far, the claim is decided, and whoever meets it can tell whether the handle is in use: nothing that is released
 * then can still be relied on.
 */

/** `profileRevision`: that the profile is to have together with the handle. */
export interface HandleClaim {
  readonly actorId: string;
  readonly profileRevision: number;
  readonly at: number;
}

/** Goes on with what another request for the same revision claimed, and never puts an older claim above a newer one. */
export function claimForProfile(handle: Handle, claim: HandleClaim): Decision<HandleClaimed> {
  if (handle.status === 'held') {
    if (handle.actorId !== claim.actorId)
      return new Refusal('effect_mismatch', 'The handle is taken; choose another.');
    if (handle.profileRevision === claim.profileRevision) return [];
    if (handle.profileRevision > claim.profileRevision) return profileHasChanged();
  }
  return [{ type: 'handle.claimed', data: { ...claim } }];
}

/**
 * Gives `name` back that the person claimed and does not have.
 * @param handle what the stream of `name` tells
 * @param profile of the person, at any time
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
