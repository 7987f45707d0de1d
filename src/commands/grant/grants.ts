import { Command } from '@nestjs/cqrs';
import { issueGrant, refreshGrant, revokeGrant } from '../../domain/grant/grant.js';
import type { GrantEvent, RevocationCause } from '../../domain/grant/grant.js';
import { Refusal } from '../../domain/refusal.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AccountRow } from '../../base/store/authority/account.row.js';
import { ApplicationRow } from '../../base/store/authority/application.row.js';
import { aggregates } from '../support/aggregates.js';
import { newestEventOf } from '../support/handle-command.js';
import { handles } from '../support/handles.js';
import type { ChangeResult } from '../support/write-side.js';

/**
 * Records a consent: the application may act for the person with exactly these scopes.
 * @throws {Refusal} `social_authority_required`, `capability_required`, `intent_conflict`; errors of log and store.
 */
export class IssueGrant extends Command<void> {
  constructor(
    readonly grantId: string,
    readonly appId: string,
    readonly actorId: string,
    readonly scopes: readonly string[],
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/**
 * A grant that the caller knows to be active at this revision of its stream. If the stream has no newer event, it need
 * not be read.
 */
export interface KnownGrant {
  readonly appId: string;
  readonly actorId: string;
  readonly revision: bigint;
}

export interface GrantRevision {
  readonly revision: bigint;
}

/**
 * Records that new tokens replace old ones. Not idempotent: each refresh is an event. Decides on the log, because the
 * authority store may lag behind. With `known`, one append is enough; without it, or after a lost race, a read precedes
 * each append. Touches no row of the authority store: the transaction of the caller may lock any of them.
 * @throws {Refusal} `not_found`: the grant is not active, so no tokens may be issued; errors of the log.
 */
export class RefreshGrant extends Command<GrantRevision> {
  constructor(
    readonly grantId: string,
    readonly metadata: EventMetadata,
    readonly known?: KnownGrant,
  ) {
    super();
  }
}

/** Revokes a grant and with it all its tokens. Idempotent. @throws {Refusal} `not_found`; errors of log and store. */
export class RevokeGrant extends Command<ChangeResult> {
  constructor(
    readonly grantId: string,
    readonly ending: RevocationCause,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

export const grantHandlers = [
  handles(IssueGrant, async ({ grantId, appId, actorId, scopes, metadata }, write) => {
    const [application, account] = await Promise.all([
      write.store.db.findOneBy(ApplicationRow, { appId, state: 'active' }),
      write.store.db.findOneBy(AccountRow, { actorId, state: 'active' }),
    ]);
    if (!application || !account)
      throw new Refusal(
        'social_authority_required',
        'The account or the application is not active, so no grant is issued.',
      );
    const consent = { grantId, appId, actorId, scopes, allowed: application.scopes, at: write.now() };
    await write.project(aggregates.grant(grantId), metadata, (grant) => issueGrant(grant, consent));
    // An update of the application may have removed a scope meanwhile. It writes its row before the grants that exceed it
    // are listed, and this grant has its row: one of both finds the other.
    const { scopes: allowed } = await write.store.db.findOneByOrFail(ApplicationRow, { appId });
    if (scopes.every((scope) => allowed.includes(scope))) return;
    // The person did not end it: the change of the application did.
    const { actorId: _person, ...ofProcess } = metadata;
    const byChange = { ...ofProcess, cause: streams.applicationChanges(appId) };
    await write.project(aggregates.grant(grantId), byChange, (grant) =>
      revokeGrant(grant, { cause: 'operator', at: write.now() }),
    );
    throw new Refusal('capability_required', 'The application was changed meanwhile, and may request less.');
  }),
  handles(RefreshGrant, async ({ grantId, metadata, known }, write) => {
    const at = write.now();
    const newestOf = {
      stream: streams.grant(grantId),
      read: newestEventOf,
      known: known && { revision: known.revision, state: refreshed(grantId, known, at) },
      initial: undefined,
      evolve: (_older: GrantEvent | undefined, newest: GrantEvent): GrantEvent | undefined => newest,
      // A refusal issues no tokens, so the witness need not confirm the revocation here: the revoking command does
      // that.
      toConfirm: () => [],
    };
    const { added } = await write.change(newestOf, metadata, (newest) => refreshGrant(newest, { at }));
    const [{ revision }] = added as readonly [Recorded];
    return { revision };
  }),
  handles(RevokeGrant, ({ grantId, ending, metadata }, write) =>
    write.project(aggregates.grant(grantId), metadata, (grant) =>
      revokeGrant(grant, { ...ending, at: write.now() }),
    ),
  ),
];

const refreshed = (grantId: string, { appId, actorId }: KnownGrant, at: number): GrantEvent => ({
  type: 'grant.refreshed',
  data: { grantId, appId, actorId, at },
});
