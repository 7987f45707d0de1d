import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { ReportCreated } from '../domain/report/events.js';
import { createReport, evolveReport, mayReport, noReport } from '../domain/report/report.js';
import type { Report } from '../domain/report/report.js';
import { EventLog } from '../log/event-log.js';
import { payloadDigest } from '../log/encryption.js';
import { streams } from '../log/streams.js';
import { KeyVault } from '../log/vault/key-vault.js';
import { Clock } from '../base/support/clock.js';
import { IdGenerator } from '../base/support/id-generator.js';
import { handleIdempotentCommand } from './support/handle-idempotent-command.js';
import { createdId } from './support/intent.js';
import type { Intent } from './support/intent.js';
import { postOfEvents } from './post/post-outcome.js';
import { OtherActors } from './support/other-actors.js';

export interface ReportInput {
  readonly postId?: string | undefined;
  readonly actorId?: string | undefined;
  readonly reason: string;
  readonly text?: string | undefined;
}

export interface ReportOutcome {
  readonly report: { readonly id: string; readonly status: 'received' };
  readonly position: bigint;
}

/**
 * Reports a post or an actor to the operators. Idempotent by its intent.
 * @throws {Refusal} and errors of log, vault and store.
 */
export class CreateReport extends Command<ReportOutcome> {
  constructor(
    readonly intent: Intent,
    readonly complaint: ReportInput,
  ) {
    super();
  }
}

@CommandHandler(CreateReport)
export class CreateReportHandler implements ICommandHandler<CreateReport> {
  constructor(
    private readonly log: EventLog,
    private readonly vault: KeyVault,
    private readonly others: OtherActors,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ intent, complaint }: CreateReport): Promise<ReportOutcome> {
    const { postId, actorId, reason, text } = complaint;
    const key = await this.vault.keyOf(intent.actorId);
    const reportId = createdId('report', intent);
    const draft = {
      reportId,
      reporterActorId: intent.actorId,
      appId: intent.appId,
      postId,
      actorId,
      reason,
      text,
      at: this.clock.now(),
    };
    const { position } = await handleIdempotentCommand<Report, ReportCreated>(this.log, this.ids, {
      stream: streams.report(reportId),
      initial: noReport,
      evolve: evolveReport,
      intent,
      payloadHash: payloadDigest(key, { postId, actorId, reason, text }),
      decide: async () => createReport(draft, await this.targetOf(intent.actorId, complaint)),
    });
    return { report: { id: reportId, status: 'received' }, position };
  }

  /**
   * The reported actor, or the author of the reported post; undefined if the reporter may not report the actor or
   * cannot see the post.
   */
  private async targetOf(reporterActorId: string, complaint: ReportInput): Promise<string | undefined> {
    const { postId, actorId } = complaint;
    const targetActorId = postId === undefined ? actorId : await this.authorOf(postId);
    if (targetActorId === undefined || targetActorId === reporterActorId) return targetActorId;
    const [isActive, { blockedBy }] = await Promise.all([
      this.others.isActive(targetActorId),
      this.others.pairOf(reporterActorId, targetActorId),
    ]);
    return isActive && mayReport(reporterActorId, targetActorId, blockedBy) ? targetActorId : undefined;
  }

  private async authorOf(postId: string): Promise<string | undefined> {
    const post = postOfEvents(await this.log.read(streams.post(postId)));
    return post.status === 'published' ? post.authorActorId : undefined;
  }
}
