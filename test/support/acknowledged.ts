import { setTimeout as pause } from 'node:timers/promises';

/** Longer than a worker on a busy machine needs; the last answer then says what is missing. */
const MAX_WAIT_MS = 20_000;

type Read<Answer> = (headers?: Readonly<Record<string, string>>) => Promise<Answer>;

interface ReadAnswer {
  readonly status: number;
  readonly headers: Headers;
}

/**
 * Newest acknowledged write of each person on one network. A write is shown to its writer when it is acknowledged, and to
 * others when a worker has applied it: without this, a test of what others see would judge the worker's speed. A
 * restriction holds for everybody at once, so nobody waits for another's.
 */
export class Acknowledged {
  private static readonly networks = new Map<string, Acknowledged>();

  /** Log positions, by actor id: of what the actor must be shown, and of what others may be shown later. */
  private readonly own = new Map<string, bigint>();
  private readonly shownLater = new Map<string, bigint>();
  private incarnation: string | undefined;

  static by(baseUrl: string): Acknowledged {
    const known = this.networks.get(baseUrl) ?? new Acknowledged();
    this.networks.set(baseUrl, known);
    return known;
  }

  /** What a mutation was answered. */
  note(actorId: string, { method, path }: { method: string; path: string }, headers: Headers): void {
    const position = headers.get('x-network-write-revision');
    if (position === null) return;
    this.own.set(actorId, BigInt(position));
    if (!isRestriction(method, path)) this.shownLater.set(actorId, BigInt(position));
  }

  /**
   * Asks until the answer shows all that was acknowledged to others before, or does not say what it shows. An answer
   * that lacks a write of the reader is returned as it is: waiting for others would hide that the API breaks its promise.
   */
  async shownTo<Answer extends ReadAnswer>(actorId: string | undefined, read: Read<Answer>): Promise<Answer> {
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
    if (isOther) for (const positions of [this.own, this.shownLater]) positions.clear();
    return !isOther && BigInt(shown) >= own && BigInt(shown) < wanted;
  }
}

/** What is answered once so much is shown, since a 404 does not say what it shows. Undefined: that did not come. */
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

/** What hides something. The end of a block does not, nor that of a follow. */
const isRestriction = (method: string, path: string): boolean =>
  (method === 'DELETE' && path.startsWith('/api/posts/')) ||
  (method === 'PUT' && path.startsWith('/api/blocks/'));
