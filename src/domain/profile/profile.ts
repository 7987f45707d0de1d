import { handleFault, keptDisplayName } from '../account/account.js';
import type { AccountRegistered } from '../account/events.js';
import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import { keptBio } from './bio.js';
import type { ProfileChanged } from './events.js';
import { isWebsite } from './website.js';

/** A profile as registration and profile stream tell it. `revision` counts its versions from 1, the registration's. */
export interface Profile {
  readonly actorId: string;
  /** Null: the person shows none. */
  readonly handle: string | null;
  readonly displayName: string;
  readonly bio: string;
  readonly website: string;
  readonly revision: number;
  /** The handle that is the person's, whether or not it is shown: the name to sign in with. */
  readonly heldHandle: string;
  /** The one that the newest change gave up for another. */
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

/** What a person wants to be otherwise; undefined: to stay. `revision`: of the profile that they saw. */
export interface ProfileChange {
  readonly revision: number;
  readonly handle?: string | null | undefined;
  readonly displayName?: string | undefined;
  readonly bio?: string | undefined;
  readonly website?: string | undefined;
}

/** Whether a new handle is free is decided in its own stream, before this is appended (see handle.ts). */
export function changeProfile(profile: Profile, change: ProfileChange, at: number): Decision<ProfileChanged> {
  // What stays is not asked about again: it was kept by the rules of its day.
  const displayName =
    change.displayName === undefined ? profile.displayName : keptDisplayName(change.displayName);
  const bio = change.bio === undefined ? profile.bio : keptBio(change.bio);
  const ofHandle = faultInHandle(change);
  if (ofHandle) return ofHandle;
  if (displayName instanceof Refusal) return displayName;
  if (bio instanceof Refusal) return bio;
  const ofWebsite = faultInWebsite(change);
  if (ofWebsite) return ofWebsite;
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

function faultInHandle({ handle }: ProfileChange): Refusal | undefined {
  const fault = typeof handle === 'string' ? handleFault(handle) : undefined;
  return fault === undefined ? undefined : new Refusal('invalid_text', fault);
}

function faultInWebsite({ website }: ProfileChange): Refusal | undefined {
  if (website === undefined || isWebsite(website)) return undefined;
  return new Refusal(
    'invalid_website',
    'website must be empty or an absolute http(s) URL of up to 2,048 characters, without a password in it.',
  );
}

export const profileHasChanged = (): Refusal =>
  new Refusal('revision_conflict', 'The profile has changed since; read it again and decide anew.');
