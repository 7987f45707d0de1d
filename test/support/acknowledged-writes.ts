import { setTimeout as pause } from 'node:timers/promises';

/** Longer than a worker needs on a busy machine. The last answer is returned then. */
const MAX_WAIT_MS = 20_000;

type Read<Answer> = (headers?: Readonly<Record<string, string>>) => Promise<Answer>;

interface ReadAnswer {
  readonly status: number;
  readonly headers: Headers;
}

/**
 * Newest acknowledged write of each person on one network. Its author reads it at once, other people once a worker has
 * applied it: without this wait, tests of what others see would depend on the worker's speed. A restriction holds for
 * everybody at once, so no read waits for it.
 */
export class AcknowledgedWrites {
  private static readonly networks = new Map<string, AcknowledgedWrites>();

  /** Log positions by actor id: `own` must be shown at once, `shownLater` eventually. */
  private readonly own = new Map<string, bigint>();
  private readonly shownLater = new Map<string, bigint>();
  private incarnation: string | undefined;

  static of(baseUrl: string): AcknowledgedWrites {
    const known = this.networks.get(baseUrl) ?? new AcknowledgedWrites();
    this.networks.set(baseUrl, known);
    return known;
  }

  /** Records the answer to a mutation. */
  record(actorId: string, { method, path }: { method: string; path: string }, headers: Headers): void {
    const position = headers.get('x-network-write-revision');
    if (position === null) return;
    this.own.set(actorId, BigInt(position));
    if (!isRestriction(method, path)) this.shownLater.set(actorId, BigInt(position));
  }

  /** For a test that replaces the log by one that lacks the writes: reads would wait for them. */
  forget(): void {
    for (const positions of [this.own, this.shownLater]) positions.clear();
  }

  /**
   * Repeats the read until it shows all acknowledged writes of others. An answer that lacks a write of the reader itself is
   * returned unchanged: a wait would hide that the API breaks read-your-writes.
   */
  async readUntilShown<Answer extends ReadAnswer>(
    actorId: string | undefined,
    read: Read<Answer>,
  ): Promise<Answer> {
    const wanted = this.newestOfOthers(actorId);
    const own = (actorId === undefined ? undefined : this.own.get(actorId)) ?? -1n;
    const giveUpAt = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const answer = await read();
      if (answer.status === 404 && wanted > own)
        return (await readAtRevision(wanted, read, giveUpAt)) ?? answer;
      if (!this.isBehind(answer, own, wanted) || performance.now() > giveUpAt) return answer;
      await pause(20);
    }
  }

  private newestOfOthers(actorId: string | undefined): bigint {
    const others = [...this.shownLater]
      .filter(([writer]) => writer !== actorId)
      .map(([, position]) => position);
    return others.reduce((newest, position) => (position > newest ? position : newest), -1n);
  }

  private isBehind({ status, headers }: ReadAnswer, own: bigint, wanted: bigint): boolean {
    const shown = headers.get('x-network-revision');
    const incarnation = headers.get('x-network-incarnation');
    if (status !== 200 || shown === null || incarnation === null) return false;
    // A recovery publishes another log, which may lack these writes.
    const isOther = this.incarnation !== undefined && this.incarnation !== incarnation;
    this.incarnation = incarnation;
    if (isOther) this.forget();
    return !isOther && BigInt(shown) >= own && BigInt(shown) < wanted;
  }
}

/** A 404 does not tell its revision, so this asks for one. Undefined: not reached in time. */
async function readAtRevision<Answer extends ReadAnswer>(
  revision: bigint,
  read: Read<Answer>,
  giveUpAt: number,
): Promise<Answer | undefined> {
  while (performance.now() < giveUpAt) {
    const answer = await read({ 'x-network-min-revision': String(revision) });
    if (answer.status !== 503) return answer;
    await pause(20);
  }
  return undefined;
}

/** Commands that hide something. Ending a block or a follow does not. */
const isRestriction = (method: string, path: string): boolean =>
  (method === 'DELETE' && path.startsWith('/api/posts/')) ||
  (method === 'PUT' && path.startsWith('/api/blocks/'));
