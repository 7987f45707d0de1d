import { setTimeout as pause } from 'node:timers/promises';
import type { Read, ShownItem } from '../history.js';
import type { Random } from '../random.js';
import type { Answer, Session } from './session.js';
import { KeptView } from './kept-view.js';
import type { Shared } from './shared.js';
import type { Person, Writer } from './writer.js';

const REST_MS = { least: 20, most: 150 };
const PAGE = 20;

const weights = {
  ownPosts: 20,
  post: 20,
  deletedPost: 20,
  posts: 10,
  timeline: 15,
  reconcile: 10,
  events: 10,
  inbox: 10,
  replies: 5,
  blocks: 5,
  anonymous: 5,
} as const;

interface ApiPost {
  readonly id: string;
  readonly authorActorId: string;
}

/** Reads all the time as one person, concurrently with the same person's writes. */
export class Reader {
  done = 0;
  private readonly view = new KeptView();
  private eventsCursor: number | undefined;

  constructor(
    private readonly person: Person,
    private readonly others: readonly Person[],
    private readonly session: Session,
    private readonly shared: Shared,
    private readonly writer: Writer,
    private readonly random: Random,
  ) {}

  async live(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.readOnce();
      await pause(this.random.between(REST_MS.least, REST_MS.most));
    }
  }

  private async readOnce(): Promise<void> {
    const { random, shared } = this;
    const post = random.pick(shared.posts.slice(-100))?.id;
    switch (random.weighted(weights)) {
      case 'ownPosts':
        return this.ownPosts();
      case 'post':
        return this.onePost(post);
      case 'deletedPost':
        return this.onePost(random.pick(shared.sightings.deletedPosts()));
      case 'posts':
        return this.page(`/api/actors/${random.pick(this.others)?.actorId}/posts?limit=${PAGE}`);
      case 'timeline':
        return this.page(`/api/timeline?limit=${PAGE}`);
      case 'reconcile':
        return this.reconcile();
      case 'events':
        return this.events();
      case 'inbox':
        return this.page(`/api/inbox?limit=${PAGE}`);
      case 'replies':
        return post === undefined ? undefined : this.page(`/api/posts/${post}/replies`);
      case 'blocks':
        return this.blocks();
      case 'anonymous':
        return this.page(`/api/actors/${this.person.actorId}/posts?limit=${PAGE}`, true);
    }
  }

  private async page(path: string, anonymous = false): Promise<void> {
    await this.read(path, anonymous);
  }

  /** Every acknowledged post must appear; one with a pending deletion may. */
  private async ownPosts(): Promise<void> {
    const path = `/api/actors/${this.person.actorId}/posts?limit=${PAGE}`;
    const reads: Read[] = [];
    let cursor: string | undefined;
    do {
      const { read, answer } = await this.read(cursor === undefined ? path : `${path}&cursor=${cursor}`);
      reads.push(read);
      cursor = answer.body?.cursor as string | undefined;
    } while (cursor !== undefined);
    const shown = new Set(reads.flatMap((read) => read.shown.map(({ postId }) => postId)));
    const [begun, ended] = [reads[0]?.sentAt ?? 0, reads.at(-1)?.answeredAt ?? 0];
    const missing = [...this.writer.own].filter(
      ([id, { ackedAt, deletionSentAt = Infinity }]) =>
        ackedAt < begun && deletionSentAt > ended && !shown.has(id),
    );
    if (missing.length > 0) this.lost('own acknowledged posts are missing', { reads, missing });
  }

  private async onePost(id: string | undefined): Promise<void> {
    if (id === undefined) return;
    const { read } = await this.read(`/api/posts/${id}`);
    const own = this.writer.own.get(id);
    const isThere =
      own && own.ackedAt < read.sentAt && !(own.deletionSentAt && own.deletionSentAt < read.answeredAt);
    if (isThere && read.shown.length === 0) this.lost('an own post is not shown', { read });
  }

  /** Earlier answers in the view count as shown, too. */
  private async reconcile(): Promise<void> {
    await this.read(this.view.path, false, (body) => [...shownIn(body), ...this.view.take(body)]);
  }

  private async events(): Promise<void> {
    const from = this.eventsCursor === undefined ? '' : `?cursor=${this.eventsCursor}`;
    const { answer } = await this.read(`/api/events${from}`);
    this.eventsCursor = answer.body?.cursor;
  }

  private async blocks(): Promise<void> {
    const { blockState } = this.writer;
    if (blockState.changing) return;
    const before = [...blockState.blocks].sort();
    const { changedAt } = blockState;
    const { read, answer } = await this.read('/api/blocks');
    if (blockState.changing || blockState.changedAt !== changedAt) return;
    const shown = (answer.body?.blocks as string[] | undefined)?.toSorted() ?? [];
    if (shown.join() !== before.join())
      this.lost('the list of blocks differs from the acknowledged blocks', { read, shown, before });
  }

  private async read(
    path: string,
    anonymous = false,
    shown = shownIn,
  ): Promise<{ read: Read; answer: Answer }> {
    const { shared, session } = this;
    let sentAt = 0;
    const answer = await session.ask(
      { method: 'GET', path, anonymous },
      () => (sentAt = shared.ticks.next()),
    );
    const read: Read = {
      actorId: anonymous ? undefined : this.person.actorId,
      path,
      sentAt,
      answeredAt: shared.ticks.next(),
      revision: Number(answer.header('x-network-revision') ?? 0),
      shown: answer.status === 200 ? shown(answer.body) : [],
    };
    this.done++;
    shared.reads.succeeded();
    shared.sightings.read(read);
    if (answer.status !== 200 && answer.status !== 404)
      shared.findings.push({
        kind: 'wrong',
        what: `a read was refused: ${answer.status} ${answer.body?.error}`,
        evidence: { read },
      });
    return { read, answer };
  }

  private lost(what: string, evidence: Readonly<Record<string, unknown>>): void {
    this.shared.findings.push({ kind: 'lost', what, evidence });
  }
}

function shownIn(body: Answer['body']): ShownItem[] {
  const events = (body?.events ?? []) as { post?: ApiPost }[];
  const posts: (ApiPost | undefined)[] = [
    body?.post,
    ...(body?.posts ?? []),
    ...(body?.ownPosts ?? []),
    ...events.map(({ post }) => post),
  ];
  const inbox = (body?.inbox ?? []) as { kind: string; sourceActorId: string; sourceId: string }[];
  return [
    ...posts.flatMap((post) => (post ? { postId: post.id, actorId: post.authorActorId } : [])),
    ...inbox.map(({ kind, sourceActorId, sourceId }) =>
      kind === 'follow' ? { actorId: sourceActorId } : { actorId: sourceActorId, postId: sourceId },
    ),
  ];
}
