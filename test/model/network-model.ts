/** The reference model: a minimal implementation of the rules, which the network is compared with. */

export interface PostModel {
  readonly id: string;
  readonly author: string;
  readonly parent: PostModel | undefined;
  readonly order: number;
  text: string;
  revision: number;
  deleted: boolean;
}

interface Tie {
  stands: boolean;
  /** Ended by its actor, not by a block. */
  endedByActor: boolean;
  generation: number;
  order: number;
}

export interface Entry {
  readonly kind: 'follow' | 'like' | 'reply' | 'mention';
  readonly source: string;
  readonly sourceId: string;
  order: number;
  read: boolean;
}

export class NetworkModel {
  readonly posts: PostModel[] = [];
  readonly blocks = new Set<string>();
  private readonly ties = new Map<string, Tie>();
  private readonly inboxes = new Map<string, Map<string, Entry>>();
  private clock = 0;

  isBlockedBetween(one: string, other: string): boolean {
    return this.blocks.has(`${one}>${other}`) || this.blocks.has(`${other}>${one}`);
  }

  /** The visibility rule. */
  canSee(viewer: string, post: PostModel | undefined): post is PostModel {
    return post !== undefined && !post.deleted && !this.isBlockedBetween(viewer, post.author);
  }

  post(id: string, author: string, text: string, parent: PostModel | undefined, mentions: readonly string[]) {
    const post = { id, author, parent, order: ++this.clock, text, revision: 1, deleted: false };
    this.posts.push(post);
    if (parent) this.tell(parent.author, { kind: 'reply', source: author, sourceId: id });
    this.mention(post, mentions);
  }

  edit(post: PostModel, text: string, mentions: readonly string[]): void {
    if (post.text === text) return;
    this.clock++;
    post.text = text;
    post.revision++;
    this.mention(post, mentions);
  }

  delete(post: PostModel): void {
    post.deleted = true;
    post.revision++;
  }

  /** Returns whether it changed anything. */
  establish(kind: 'follow' | 'like', actor: string, target: string, targetActor: string): boolean {
    const tie = this.tie(kind, actor, target);
    if (tie.stands) return false;
    Object.assign(tie, {
      stands: true,
      endedByActor: false,
      generation: tie.generation + 1,
      order: ++this.clock,
    });
    const sourceId = kind === 'follow' ? actor : target;
    this.tell(targetActor, { kind, source: actor, sourceId }, true);
    return true;
  }

  end(kind: 'follow' | 'like', actor: string, target: string): void {
    this.tie(kind, actor, target).stands = false;
  }

  /** Whether the actor can end it: also once after a block ended it. */
  canEnd(kind: 'follow' | 'like', actor: string, target: string): boolean {
    const { generation, endedByActor } = this.tie(kind, actor, target);
    return generation > 0 && !endedByActor;
  }

  endByActor(kind: 'follow' | 'like', actor: string, target: string): void {
    this.end(kind, actor, target);
    this.tie(kind, actor, target).endedByActor = true;
  }

  /** Returns whether it changed anything. */
  block(actor: string, target: string): boolean {
    if (this.blocks.has(`${actor}>${target}`)) return false;
    this.blocks.add(`${actor}>${target}`);
    this.end('follow', actor, target);
    this.end('follow', target, actor);
    return true;
  }

  readAll(actor: string): void {
    for (const entry of this.inboxOf(actor).values()) entry.read = true;
  }

  tie(kind: 'follow' | 'like', actor: string, target: string): Tie {
    const key = `${actor} ${kind} ${target}`;
    const tie = this.ties.get(key) ?? { stands: false, endedByActor: false, generation: 0, order: 0 };
    this.ties.set(key, tie);
    return tie;
  }

  follows(actor: string, target: string): boolean {
    return this.tie('follow', actor, target).stands;
  }

  /** The visible entries, newest first. */
  visibleInbox(actor: string): Entry[] {
    const isShown = ({ kind, source, sourceId }: Entry): boolean => {
      if (this.isBlockedBetween(actor, source)) return false;
      if (kind === 'follow') return this.follows(source, actor);
      const post = this.posts.find(({ id }) => id === sourceId);
      return this.canSee(actor, post) && (kind !== 'like' || this.tie('like', source, sourceId).stands);
    };
    return [...this.inboxOf(actor).values()].filter(isShown).sort((a, b) => b.order - a.order);
  }

  private mention(post: PostModel, mentions: readonly string[]): void {
    for (const actor of mentions) {
      const isReply = post.parent?.author === actor;
      if (!isReply && !this.isBlockedBetween(post.author, actor))
        this.tell(actor, { kind: 'mention', source: post.author, sourceId: post.id });
    }
  }

  /** `again`: renews an existing entry. */
  private tell(actor: string, news: Pick<Entry, 'kind' | 'source' | 'sourceId'>, again = false): void {
    if (actor === news.source) return;
    const inbox = this.inboxOf(actor);
    const key = `${news.kind} ${news.source} ${news.sourceId}`;
    if (!inbox.has(key) || again) inbox.set(key, { ...news, order: this.clock, read: false });
  }

  private inboxOf(actor: string): Map<string, Entry> {
    const inbox = this.inboxes.get(actor) ?? new Map<string, Entry>();
    this.inboxes.set(actor, inbox);
    return inbox;
  }
}
