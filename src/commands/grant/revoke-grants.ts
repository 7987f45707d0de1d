import { Command, CommandBus } from '@nestjs/cqrs';
import { unknownApplication } from '../../domain/application/application.js';
import { Refusal } from '../../domain/refusal.js';
import type { EventMetadata } from '../../log/recorded.js';
import { readNewest } from '../../log/read-newest.js';
import { streams } from '../../log/streams.js';
import { handles } from '../support/handles.js';
import type { WriteSide } from '../support/write-side.js';
import { RevokeGrant } from './grants.js';

export interface GrantsRevoked {
  readonly revoked: number;
}

/**
 * The grants to revoke: all of an application, or all of a person (with `appId`: only those for that application).
 * `cause`: the revoking party.
 */
export type GrantSelection =
  | { readonly cause: 'operator'; readonly appId: string; readonly actorId?: undefined }
  | { readonly cause: 'operator' | 'person'; readonly actorId: string; readonly appId?: string | undefined };

/**
 * Revokes every grant of the selection, expired ones too; the newest first, because they may still give authority.
 * Repeating the command completes an unfinished run. A failed revocation does not stop the others, unless log or store
 * fails for a whole batch.
 * @throws {Refusal} `not_found`: the application is unknown, or a grant is unknown to the log. Errors of log and store:
 * repeating revokes the rest.
 */
export class RevokeGrants extends Command<GrantsRevoked> {
  constructor(
    readonly selection: GrantSelection,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

interface Row {
  readonly grant_id: string;
  readonly app_id: string;
  readonly issued_at: string;
}

/**
 * A page of the grants that are not revoked, newest first. $1: owner. $2, $3: time and id of the last grant of the
 * previous page. $4: page size. $5: application; null: all.
 */
const unrevoked = (condition: string) => `
  SELECT grant_id, app_id, issued_at FROM authority.app_grant
  WHERE ${condition} AND revoked_at IS NULL AND (issued_at, grant_id) < ($2, $3)
  ORDER BY issued_at DESC, grant_id DESC LIMIT $4`;

export const grantsOfApplication = unrevoked('app_id = $1');

export const grantsOfActor = unrevoked('actor_id = $1 AND ($5::text IS NULL OR app_id = $5)');

/** Revocations at a time: enough for group commit, few enough to leave room for other writers. */
const BATCH = 8;

export const revokeGrantsHandler = handles(
  RevokeGrants,
  { commands: CommandBus },
  async ({ selection, metadata }, write, { commands }) => {
    if (selection.actorId === undefined) await requireApplication(write, selection.appId);
    const end = ({ grant_id: grantId, app_id: appId }: Row) =>
      commands.execute(new RevokeGrant(grantId, { cause: selection.cause }, { ...metadata, appId, grantId }));
    let [revoked, missing] = [0, 0];
    let failure: unknown;
    let last: Row | undefined;
    for (;;) {
      const grants = await nextGrants(write, selection, last);
      const results = await Promise.allSettled(grants.map(end));
      for (const result of results)
        if (result.status === 'fulfilled') revoked += Number(result.value.changed);
        else if (result.reason instanceof Refusal) missing += 1;
        else failure ??= result.reason;
      last = grants.at(-1);
      if (grants.length < BATCH || results.every(isFailed)) break;
    }
    if (failure !== undefined) throw failure;
    if (missing === 0) return { revoked };
    const message = `The log does not know ${missing} of these grants; all others are revoked.`;
    throw new Refusal('not_found', message);
  },
);

async function requireApplication({ log }: WriteSide, appId: string): Promise<void> {
  const [registered] = await readNewest(
    log,
    () => log.read(streams.application(appId), { limit: 1 }),
    (found) => found.length > 0,
  );
  if (!registered) throw unknownApplication();
}

function nextGrants({ store: { db } }: WriteSide, of: GrantSelection, last: Row | undefined): Promise<Row[]> {
  const { issued_at: at = Number.MAX_SAFE_INTEGER, grant_id: id = '' } = last ?? {};
  return of.actorId === undefined
    ? db.query(grantsOfApplication, [of.appId, at, id, BATCH])
    : db.query(grantsOfActor, [of.actorId, at, id, BATCH, of.appId ?? null]);
}

const isFailed = (result: PromiseSettledResult<unknown>): boolean =>
  result.status === 'rejected' && !(result.reason instanceof Refusal);
