import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { JobEvent } from '../../domain/job/events.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../../base/support/clock.js';
import { handleCommand, newestEventOf } from '../support/handle-command.js';
import { IdGenerator } from '../../base/support/id-generator.js';

/** Records that an operator pauses or resumes a job, before it happens. Idempotent. @throws errors of the log. */
export class RecordJobChange extends Command<void> {
  constructor(
    readonly type: JobEvent['type'],
    readonly jobId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RecordJobChange)
export class RecordJobChangeHandler implements ICommandHandler<RecordJobChange> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ type, jobId, metadata }: RecordJobChange): Promise<void> {
    await handleCommand<JobEvent['type'] | undefined, JobEvent>(this.log, this.ids, {
      stream: streams.job(jobId),
      read: newestEventOf,
      initial: undefined,
      evolve: (_newest, event) => event.type,
      decide: (newest) => (newest === type ? [] : [{ type, data: { jobId, at: this.clock.now() } }]),
      metadata,
    });
  }
}
