import { BACKWARDS, END } from '@eventstore/db-client';
import type { RecordedEvent } from '@eventstore/db-client';
import { readAll } from './read-all.js';
import { noPosition } from '../codec.js';
import type { Connection } from './connection.js';
import { SharedRuns } from '../../base/support/grouped-runs.js';
import { isOwnStream } from '../streams.js';

const PAGE = 64;

interface EventPosition {
  readonly id: string;
  readonly position: bigint;
}

interface ScannedRange {
  readonly newest: EventPosition;
  readonly oldest: bigint;
  readonly fact: bigint | undefined;
}

/**
 * Finds the newest event of the network in a log that also has statistics of the server and events of other
 * applications. It remembers the range that it has scanned, even if a scan is interrupted, and so reads each event
 * once.
 */
export class NewestOwnEvent {
  private scanned: ScannedRange | undefined;
  private readonly scans = new SharedRuns(() => this.scan());

  constructor(private readonly connection: Connection) {}

  /**
   * Position of the newest event of the network, as of this call or later; undefined: the log has none. Calls during
   * a scan share the next scan, which covers the events appended since. Rejects with the errors of the client.
   */
  position(): Promise<bigint | undefined> {
    return this.scans.run();
  }

  private async scan(): Promise<bigint | undefined> {
    let before = this.scanned;
    let newest: EventPosition | undefined;
    let from: bigint | undefined;
    for (;;) {
      const count = newest ? PAGE : 1;
      const page = await this.page(from, count);
      newest ??= page.map(positionOf)[0];
      const oldest = page.map(positionOf).at(-1);
      if (!newest || !oldest) return undefined;
      const overlap = page.findIndex(({ id }) => id === before?.newest.id);
      const fact = page.slice(0, overlap < 0 ? count : overlap).find(({ streamId }) => isOwnStream(streamId));
      if (fact)
        return this.remember({ newest, oldest: positionOf(fact).position, fact: positionOf(fact).position });
      if (before && overlap >= 0) {
        if (before.fact !== undefined) return this.remember({ ...before, newest });
        from = before.oldest;
        before = undefined;
      } else {
        from = oldest.position;
        // The log was rolled back or replaced, so the earlier scan is void.
        if (before && from < before.newest.position) before = undefined;
        if (page.length < count) return undefined;
      }
      if (!before) this.scanned = { newest, oldest: from, fact: undefined };
    }
  }

  private remember(scanned: ScannedRange): bigint | undefined {
    this.scanned = scanned;
    return scanned.fact;
  }

  private page(from: bigint | undefined, maxCount: number): Promise<RecordedEvent[]> {
    const fromPosition = from === undefined ? END : { commit: from, prepare: from };
    return readAll(this.connection, { direction: BACKWARDS, fromPosition, maxCount });
  }
}

const positionOf = ({ id, position }: RecordedEvent): EventPosition => ({
  id,
  position: position?.commit ?? noPosition(),
});
