import { handleFault, normalizedDisplayName } from '../account/account.js';
import type { AccountRegistered } from '../account/events.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import { normalizedBio } from './bio.js';
import type { ProfileChanged } from './events.js';
import { isWebsite } from './website.js';

/**
 * `handle` null: hidden. `heldHandle`: the sign-in name, shown or hidden. `formerHandle`: released by the newest
 * change. `revision`: from 1, the registration.
 */
export interface Profile {
  readonly actorId: string;
  readonly handle: string | null;
  readonly displayName: string;
  readonly bio: string;
  readonly website: string;
  readonly revision: number;
  readonly heldHandle: string;
  readonly formerHandle?: string | undefined;
}

export function registeredProfile({ data }: AccountRegistered): Profile {
  const { actorId, handle, displayName } = data;
  return { actorId, handle, displayName, bio: '', website: '', revision: 1, heldHandle: handle };
}

export function evolveProfile(profile: Profile, { data }: ProfileChanged): Profile {
  const { actorId, handle, displayName, bio, website, revision } = data;
  const heldHandle = handle ?? profile.heldHandle;
  const formerHandle = heldHandle === profile.heldHandle ? undefined : profile.heldHandle;
  return { actorId, handle, displayName, bio, website, revision, heldHandle, formerHandle };
}

export interface ProfileChange {
  readonly revision: number;
  readonly handle?: string | null | undefined;
  readonly displayName?: string | undefined;
  readonly bio?: string | undefined;
  readonly website?: string | undefined;
}

export function changeProfile(profile: Profile, change: ProfileChange, at: number): Decision<ProfileChanged> {
  // Unchanged fields are not validated again: the rules may have changed since.
  const displayName =
    change.displayName === undefined ? profile.displayName : normalizedDisplayName(change.displayName);
  const bio = change.bio === undefined ? profile.bio : normalizedBio(change.bio);
  const handleRefusal = refusalOfHandle(change);
  if (handleRefusal) return handleRefusal;
  if (displayName instanceof Refusal) return displayName;
  if (bio instanceof Refusal) return bio;
  const websiteRefusal = refusalOfWebsite(change);
  if (websiteRefusal) return websiteRefusal;
  if (change.revision !== profile.revision) return profileHasChanged();
  const { handle = profile.handle, website = profile.website } = change;
  const isSame =
    handle === profile.handle &&
    displayName === profile.displayName &&
    bio === profile.bio &&
    website === profile.website;
  if (isSame) return [];
  const { actorId } = profile;
  const revision = profile.revision + 1;
  return [{ type: 'profile.changed', data: { actorId, handle, displayName, bio, website, revision, at } }];
}

function refusalOfHandle({ handle }: ProfileChange): Refusal | undefined {
  const fault = typeof handle === 'string' ? handleFault(handle) : undefined;
  return fault === undefined ? undefined : new Refusal('invalid_text', fault);
}

function refusalOfWebsite({ website }: ProfileChange): Refusal | undefined {
  if (website === undefined || isWebsite(website)) return undefined;
  return new Refusal(
    'invalid_website',
    'website must be empty or an absolute http(s) URL of up to 2,048 characters, without a password in it.',
  );
}

export const profileHasChanged = (): Refusal =>
  new Refusal('revision_conflict', 'The profile has another revision; read it again and decide again.');
