import { Command, CommandHandler } from '@nestjs/cqrs';
import type { ICommandHandler } from '@nestjs/cqrs';
import { reserveRestrictions, windowBegin } from '../../domain/four-eyes/allowance.js';
import type { AllowanceEvent } from '../../domain/four-eyes/events.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { Clock } from '../support/clock.js';
import { handleCommand, newestEventOf } from '../support/handle-command.js';
import { IdGenerator } from '../support/id-generator.js';

const PAGE = 200;

/**
 * Reserves restrictions that an operator is about to make alone. Returns the id of the reservation; undefined: with
 * those of the last 24 hours there would be more than `limit`, and nothing is reserved.
 * @throws errors of the log: no restriction may follow. Unless it says that nothing was written, the reservation may
 * count.
 */
export class ReserveRestrictions extends Command<string | undefined> {
  constructor(
    readonly operatorId: string,
    readonly wanted: { readonly count: number; readonly limit: number },
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

/** The act of a reservation restricted nothing. */
export class ReturnRestrictions extends Command<void> {
  constructor(
    readonly operatorId: string,
    readonly reservationId: string,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(ReserveRestrictions)
export class ReserveRestrictionsHandler implements ICommandHandler<ReserveRestrictions> {
  /** Newest reservation of each operator in this process: only other processes are ever first. */
  private readonly newest = new Map<string, Promise<unknown>>();

  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute(command: ReserveRestrictions): Promise<string | undefined> {
    const { operatorId } = command;
    const own = (this.newest.get(operatorId) ?? Promise.resolve()).then(() => this.reserve(command));
    const settled = own.catch(() => undefined);
    this.newest.set(operatorId, settled);
    try {
      return await own;
    } finally {
      if (this.newest.get(operatorId) === settled) this.newest.delete(operatorId);
    }
  }

  private async reserve({ operatorId, wanted, metadata }: ReserveRestrictions): Promise<string | undefined> {
    const reservationId = this.ids.random();
    const at = this.clock.now();
    const reservation = { operatorId, reservationId, count: wanted.count, at };
    const { added } = await handleCommand<undefined, AllowanceEvent>(this.log, this.ids, {
      stream: streams.operatorRestrictions(operatorId),
      read: (log, stream) => windowOf(log, stream, windowBegin(at)),
      initial: undefined,
      evolve: () => undefined,
      decide: (_, past) =>
        reserveRestrictions(
          past.map(({ event }) => event),
          wanted.limit,
          reservation,
        ),
      metadata,
    });
    return added.length > 0 ? reservationId : undefined;
  }
}

@CommandHandler(ReturnRestrictions)
export class ReturnRestrictionsHandler implements ICommandHandler<ReturnRestrictions> {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  async execute({ operatorId, reservationId, metadata }: ReturnRestrictions): Promise<void> {
    const data = { operatorId, reservationId, at: this.clock.now() };
    await handleCommand<undefined, AllowanceEvent>(this.log, this.ids, {
      stream: streams.operatorRestrictions(operatorId),
      read: newestEventOf,
      initial: undefined,
      evolve: () => undefined,
      decide: () => [{ type: 'operator.restrictions_returned', data }],
      metadata,
    });
  }
}

/** Returns the newest events of a stream, oldest first: at least one, and all after `begin`. */
async function windowOf(log: EventLog, stream: string, begin: number): Promise<readonly Recorded[]> {
  const events: Recorded[] = [];
  for (;;) {
    const oldest = events[0];
    const next = oldest && { from: oldest.revision - 1n };
    if (oldest && (oldest.revision === 0n || oldest.event.data.at <= begin)) return events;
    const page = await log.read(stream, { direction: 'backwards', limit: PAGE, ...next });
    if (page.length === 0) return events;
    events.unshift(...[...page].reverse());
  }
}
