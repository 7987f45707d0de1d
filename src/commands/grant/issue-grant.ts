import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { evolveGrant, issueGrant, noGrant } from '../../domain/grant/grant.js';
import { Refusal } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AccountRow } from '../../base/store/authority/account.row.js';
import { ApplicationRow } from '../../base/store/authority/application.row.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { decideAndProject } from '../support/decide-and-project.js';
import { firstAndNewestOf } from '../support/handle-command.js';

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

@CommandHandler(IssueGrant)
export class IssueGrantHandler implements ICommandHandler<IssueGrant> {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ grantId, appId, actorId, scopes, metadata }: IssueGrant): Promise<void> {
    const [application, account] = await Promise.all([
      this.store.db.findOneBy(ApplicationRow, { appId, state: 'active' }),
      this.store.db.findOneBy(AccountRow, { actorId, state: 'active' }),
    ]);
    if (!application || !account)
      throw new Refusal(
        'social_authority_required',
        'The account or the application is not active, so no grant is issued.',
      );
    const consent = { grantId, appId, actorId, scopes, allowed: application.scopes, at: this.clock.now() };
    await decideAndProject(this.log, this.ids, this.store, {
      stream: streams.grant(grantId),
      read: firstAndNewestOf,
      initial: noGrant,
      evolve: evolveGrant,
      decide: (grant) => issueGrant(grant, consent),
      metadata,
    });
  }
}
