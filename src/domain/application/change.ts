import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import { acceptedDetails } from './application.js';
import type { ApplicationDetails } from './application.js';
import type { ApplicationChanged } from './events.js';

export interface FormerName {
  readonly name: string;
  /** Unix milliseconds. */
  readonly until: number;
}

/** An application after its registration and its changes. */
export interface CurrentApplication extends ApplicationDetails {
  readonly formerNames: readonly FormerName[];
}

export const FORMER_NAME_DAYS = 30;
const FORMER_NAME_MS = FORMER_NAME_DAYS * 24 * 60 * 60_000;
const FORMER_NAMES_MAX = 5;

/** The former names that people still see beside the name. */
export const shownNames = (names: readonly FormerName[], now: number): readonly FormerName[] =>
  names.filter(({ until }) => until > now - FORMER_NAME_MS);

export type AskedDetails = {
  readonly [Field in keyof ApplicationDetails]?: ApplicationDetails[Field] | undefined;
};

interface ApplicationUpdate {
  readonly appId: string;
  /** A field that is missing stays. */
  readonly asked: AskedDetails;
  readonly at: number;
  /** True: grants still have to end for scopes that were removed before. */
  readonly isEndingGrants: boolean;
}

const fields = ['name', 'redirectUris', 'postLogoutRedirectUris', 'scopes'] as const;

export function changeApplication(
  before: CurrentApplication,
  { appId, asked, at, isEndingGrants }: ApplicationUpdate,
): Decision<ApplicationChanged> {
  const after = acceptedDetails(
    {
      name: asked.name ?? before.name,
      redirectUris: asked.redirectUris ?? before.redirectUris,
      postLogoutRedirectUris: asked.postLogoutRedirectUris ?? before.postLogoutRedirectUris,
      scopes: asked.scopes ?? before.scopes,
    },
    [...before.redirectUris, ...before.postLogoutRedirectUris],
  );
  if (after instanceof Refusal) return after;
  const changed = fields.filter((field) => textOf(after[field]) !== textOf(before[field]));
  if (changed.length === 0) return [];
  if (isEndingGrants && without(after.scopes, before.scopes).length > 0)
    return new Refusal(
      'revision_conflict',
      'Grants still end for the scopes that were removed before, and new scopes would keep them: retry when they have ended.',
    );
  const formerNames = [
    ...(changed.includes('name') ? [{ name: before.name, until: at }] : []),
    ...shownNames(before.formerNames, at).filter(({ name }) => name !== before.name && name !== after.name),
  ];
  if (formerNames.length > FORMER_NAMES_MAX)
    return new Refusal(
      'invalid_text',
      `People see each former name for ${FORMER_NAME_DAYS} days, and at most ${FORMER_NAMES_MAX} of them: change the name later.`,
    );
  const removedScopes = without(before.scopes, after.scopes);
  return [
    { type: 'application.changed', data: { appId, ...after, changed, removedScopes, formerNames, at } },
  ];
}

const textOf = (value: string | readonly string[]): string =>
  typeof value === 'string' ? value : value.toSorted().join(' ');

const without = (scopes: readonly string[], others: readonly string[]): readonly string[] =>
  scopes.filter((scope) => !others.includes(scope));
