import { z } from 'zod';
import type { ApplicationDetails } from '../../domain/application/application.js';
import type { ApplicationChanged, ApplicationRegistered } from '../../domain/application/events.js';
import type { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { listOf } from '../desk/schemas.js';

/** The audit finds all of them; this shows the ones that somebody asks about. */
const SHOWN = 20;

const list = z.strictObject({ added: listOf(z.string()), removed: listOf(z.string()) });

/** A change with former and new values. `at`: Unix milliseconds. `name`: null if it stayed. */
export const applicationChange = z.strictObject({
  at: z.number(),
  operatorId: z.string().nullable(),
  operator: z.string().nullable(),
  reason: z.string().nullable(),
  name: z.strictObject({ before: z.string(), after: z.string() }).nullable(),
  redirectUris: list,
  postLogoutRedirectUris: list,
  scopes: list,
});

export type ApplicationChange = z.infer<typeof applicationChange>;

/** The newest changes, the newest first. @throws {LogUnavailable} */
export async function changesOf(
  log: Pick<EventLog, 'read'>,
  appId: string,
): Promise<readonly ApplicationChange[]> {
  const [registered, newest] = await Promise.all([
    log.read(streams.application(appId), { limit: 1 }),
    log.read(streams.applicationChanges(appId), { direction: 'backwards', limit: SHOWN + 1 }),
  ]);
  const changes = newest as readonly Recorded<ApplicationChanged>[];
  const first = registered as readonly Recorded<ApplicationRegistered>[];
  // Each event has all values, so the one before it has the former ones.
  const states = [...changes, ...(changes.length > SHOWN ? [] : first)].map(({ event }) => event.data);
  return changes.slice(0, SHOWN).flatMap(({ event, metadata }, n) => {
    const before = states[n + 1];
    return before ? [changeOf(before, event.data, metadata)] : [];
  });
}

function changeOf(
  before: ApplicationDetails,
  after: ApplicationChanged['data'],
  { operatorId, operator, reason }: Recorded['metadata'],
): ApplicationChange {
  const differing = (field: 'redirectUris' | 'postLogoutRedirectUris' | 'scopes') => ({
    added: after[field].filter((each) => !before[field].includes(each)),
    removed: before[field].filter((each) => !after[field].includes(each)),
  });
  return {
    at: after.at,
    operatorId: operatorId ?? null,
    operator: operator ?? null,
    reason: reason ?? null,
    name: before.name === after.name ? null : { before: before.name, after: after.name },
    redirectUris: differing('redirectUris'),
    postLogoutRedirectUris: differing('postLogoutRedirectUris'),
    scopes: differing('scopes'),
  };
}

/** Each value that came or went, as people call it. */
export const changedValues = ({ redirectUris, postLogoutRedirectUris, scopes }: ApplicationChange) => [
  ...valuesOf('redirect address', redirectUris),
  ...valuesOf('address after sign-out', postLogoutRedirectUris),
  ...valuesOf('scope', scopes),
];

const valuesOf = (noun: string, { added, removed }: z.infer<typeof list>) => [
  ...removed.map((value) => ({ what: `${noun} removed`, value })),
  ...added.map((value) => ({ what: `${noun} added`, value })),
];
