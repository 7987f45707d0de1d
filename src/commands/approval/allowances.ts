import { Injectable } from '@nestjs/common';
import { reserveRestrictions, windowBegin } from '../../domain/four-eyes/allowance.js';
import type { AllowanceEvent } from '../../domain/four-eyes/events.js';
import type { Decision } from '../../domain/refusal.js';
import type { EventLog } from '../../log/event-log.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { WriteSide } from '../support/write-side.js';

const PAGE = 200;

interface Change {
  readonly operatorId: string;
  readonly at: number;
  readonly decide: (past: readonly AllowanceEvent[]) => Decision<AllowanceEvent>;
  readonly metadata: EventMetadata;
}

@Injectable()
export class Allowances {
  /** Newest change of each operator in this process: only other processes are ever first. */
  private readonly newest = new Map<string, Promise<unknown>>();

  constructor(private readonly write: WriteSide) {}

  /**
   * Reserves restrictions that an operator is about to make alone. Returns the id of the reservation; undefined: with
   * those of the last 24 hours there would be more than `limit`, and nothing is reserved.
   * @throws errors of the log: no restriction may follow. Unless it says that nothing was written, the reservation may
   * count.
   */
  async reserve(
    operatorId: string,
    { count, limit }: { readonly count: number; readonly limit: number },
    metadata: EventMetadata,
  ): Promise<string | undefined> {
    const reservation = { operatorId, reservationId: this.write.ids.random(), count, at: this.write.now() };
    const isReserved = await this.inTurn({
      ...reservation,
      decide: (past) => reserveRestrictions(past, limit, reservation),
      metadata,
    });
    return isReserved ? reservation.reservationId : undefined;
  }

  /** Ends a reservation whose act restricted nothing. @throws errors of the log. */
  async release(operatorId: string, reservationId: string, metadata: EventMetadata): Promise<void> {
    const data = { operatorId, reservationId, at: this.write.now() };
    const decide = () => [{ type: 'operator.restrictions_returned', data } as const];
    await this.inTurn({ ...data, decide, metadata });
  }

  private async inTurn(change: Change): Promise<boolean> {
    const { operatorId } = change;
    const own = (this.newest.get(operatorId) ?? Promise.resolve()).then(() => this.append(change));
    const settled = own.catch(() => undefined);
    this.newest.set(operatorId, settled);
    try {
      return await own;
    } finally {
      if (this.newest.get(operatorId) === settled) this.newest.delete(operatorId);
    }
  }

  private async append({ operatorId, at, decide, metadata }: Change): Promise<boolean> {
    const allowance = {
      stream: streams.operatorRestrictions(operatorId),
      read: (log: EventLog, stream: string) => windowOf(log, stream, windowBegin(at)),
      initial: undefined,
      evolve: () => undefined,
    };
    const { added } = await this.write.change<undefined, AllowanceEvent>(allowance, metadata, (_, past) =>
      decide(past.map(({ event }) => event)),
    );
    return added.length > 0;
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
