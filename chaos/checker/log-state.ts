import type { LogEvent } from '../history.js';

export interface PostState {
  readonly id: string;
  readonly author: string;
  readonly parentId: string | undefined;
  readonly createdAt: number;
  revision: number;
  deletedAt: number | undefined;
  textIntent: string | undefined;
}

/** A follow, like or block, with the positions of its changes. */
export interface Tie {
  readonly changes: { readonly position: number; readonly stands: boolean }[];
  generation: number;
}

/** The state of the log by independent rules: a fault in the deciders or projections of `src` cannot hide here. */
export class LogState {
  readonly posts = new Map<string, PostState>();
  private readonly ties = new Map<string, Tie>();

  constructor(events: readonly LogEvent[]) {
    for (const event of events) this.apply(event);
  }

  private apply({ type, data, position, intentId }: LogEvent): void {
    const text = (name: string): string => String(data[name]);
    switch (type) {
      case 'post.created':
        this.posts.set(text('postId'), {
          id: text('postId'),
          author: text('authorActorId'),
          parentId: typeof data['parentId'] === 'string' ? data['parentId'] : undefined,
          createdAt: position,
          revision: 1,
          deletedAt: this.posts.get(text('postId'))?.deletedAt,
          textIntent: intentId,
        });
        break;
      case 'post.edited':
        this.changePost(text('postId'), (post) => {
          post.revision = Number(data['revision']);
          post.textIntent = intentId;
        });
        break;
      case 'post.deleted':
        this.changePost(text('postId'), (post) => {
          post.revision++;
          post.deletedAt ??= position;
        });
        break;
      case 'relation.established':
      case 'relation.ended': {
        const key = tieKey(text('kind') as TieKind, text('actorId'), text('targetId'));
        this.changeTie(key, position, type === 'relation.established', Number(data['generation']));
        break;
      }
      case 'block.established':
      case 'block.ended': {
        const key = tieKey('block', text('actorId'), text('targetActorId'));
        this.changeTie(key, position, type === 'block.established', 0);
        break;
      }
    }
  }

  private changePost(id: string, change: (post: PostState) => void): void {
    const post = this.posts.get(id);
    if (post) change(post);
  }

  private changeTie(key: string, position: number, stands: boolean, generation: number): void {
    const tie = this.ties.get(key) ?? { changes: [], generation: 0 };
    tie.changes.push({ position, stands });
    tie.generation = Math.max(tie.generation, generation);
    this.ties.set(key, tie);
  }

  statesSince(kind: TieKind, actorId: string, targetId: string, position: number): boolean[] {
    const { changes } = this.ties.get(tieKey(kind, actorId, targetId)) ?? { changes: [] };
    const before = changes.findLast((change) => change.position <= position)?.stands ?? false;
    return [before, ...changes.filter((change) => change.position > position).map(({ stands }) => stands)];
  }

  stands(kind: TieKind, actorId: string, targetId: string): boolean {
    return this.ties.get(tieKey(kind, actorId, targetId))?.changes.at(-1)?.stands ?? false;
  }

  generation(kind: TieKind, actorId: string, targetId: string): number {
    return this.ties.get(tieKey(kind, actorId, targetId))?.generation ?? 0;
  }

  /** True for a block in either direction. */
  areApart(one: string, other: string): boolean {
    return this.stands('block', one, other) || this.stands('block', other, one);
  }

  wereApartSince(one: string, other: string, position: number): boolean {
    return [
      ...this.statesSince('block', one, other, position),
      ...this.statesSince('block', other, one, position),
    ].includes(true);
  }

  canSee(viewer: string, post: PostState | undefined): boolean {
    return post !== undefined && post.deletedAt === undefined && !this.areApart(viewer, post.author);
  }
}

export type TieKind = 'follow' | 'like' | 'block';

const tieKey = (kind: TieKind, actorId: string, targetId: string) => `${kind} ${actorId} ${targetId}`;
