import { BACKWARDS, END } from '@eventstore/db-client';
import type { RecordedEvent } from '@eventstore/db-client';
import { readAll } from './bounded-read.js';
import { noPosition } from '../codec.js';
import type { Connection } from './connection.js';
import { isOwnStream } from '../streams.js';

/** Events in a page: statistics have ten kilobytes and more each. */
const PAGE = 64;

interface Place {
  readonly id: string;
  readonly position: bigint;
}

/** What was looked at, from the newest event down to a position. Undefined `fact`: no event of it is one. */
interface Walked {
  readonly newest: Place;
  readonly oldest: bigint;
  readonly fact: bigint | undefined;
}

/**
 * Finds the newest fact of the network in a log into which the server writes statistics, and other applications their own. It remembers
 * from where to where it has walked, also when it was interrupted, and so looks at each event once.
 */
export class NewestFact {
  private walked: Walked | undefined;
  private walking: Promise<bigint | undefined> | undefined;
  private next: Promise<bigint | undefined> | undefined;

  constructor(private readonly connection: Connection) {}

  /**
   * Its position, no older than the call; undefined: there is none. All who ask during a walk share the next one, which goes
   * through what came since. Rejects with the client's errors.
   */
  position(): Promise<bigint | undefined> {
    if (!this.walking) {
      this.walking = this.walk().finally(() => (this.walking = undefined));
      return this.walking;
    }
    this.next ??= this.walking
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return this.position();
      });
    return this.next;
  }

  private async walk(): Promise<bigint | undefined> {
    let before = this.walked;
    let newest: Place | undefined;
    let from: bigint | undefined;
    for (;;) {
      const count = newest ? PAGE : 1;
      const page = await this.page(from, count);
      newest ??= page.map(placeOf)[0];
      const oldest = page.map(placeOf).at(-1);
      if (!newest || !oldest) return undefined;
      const joint = page.findIndex(({ id }) => id === before?.newest.id);
      const fact = page.slice(0, joint < 0 ? count : joint).find(({ streamId }) => isOwnStream(streamId));
      if (fact) return this.keep({ newest, oldest: placeOf(fact).position, fact: placeOf(fact).position });
      if (before && joint >= 0) {
        if (before.fact !== undefined) return this.keep({ ...before, newest });
        from = before.oldest;
        before = undefined;
      } else {
        from = oldest.position;
        // A log without it was set back: what was seen of it then is of no use.
        if (before && from < before.newest.position) before = undefined;
        if (page.length < count) return undefined;
      }
      if (!before) this.walked = { newest, oldest: from, fact: undefined };
    }
  }

  private keep(walked: Walked): bigint | undefined {
    this.walked = walked;
    return walked.fact;
  }

  /** Backwards; undefined: from the end. */
  private page(from: bigint | undefined, maxCount: number): Promise<RecordedEvent[]> {
    const fromPosition = from === undefined ? END : { commit: from, prepare: from };
    return readAll(this.connection, { direction: BACKWARDS, fromPosition, maxCount });
  }
}

const placeOf = ({ id, position }: RecordedEvent): Place => ({
  id,
  position: position?.commit ?? noPosition(),
});
