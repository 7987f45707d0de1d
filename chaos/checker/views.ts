import type { Operation } from '../history.js';
import type { Finding } from './finding.js';
import { LogState } from './log-state.js';
import type { PostState } from './log-state.js';

export interface SeenPost {
  readonly id: string;
  readonly text: string;
  readonly revision: number;
  readonly parentUnavailable?: boolean;
}

/** Everything that one person can read after the run, with all pages. */
export interface View {
  readonly actorId: string;
  readonly actors: Readonly<Record<string, SeenActor | undefined>>;
  readonly timeline: readonly SeenPost[];
  readonly blocks: readonly string[];
  readonly relations: readonly {
    readonly kind: 'follow' | 'like';
    readonly targetId: string;
    readonly generation: string;
  }[];
  /** Fetched one by one; undefined for 404. */
  readonly single: Readonly<Record<string, SeenPost | undefined>>;
  /** Own intents with the outcome `kept` in `POST /api/intents/lookup`. */
  readonly kept: readonly string[];
}

export interface SeenActor {
  readonly posts: readonly SeenPost[];
  readonly counts: { readonly posts: number; readonly followers: number; readonly following: number };
}

export function checkViews(
  views: readonly View[],
  state: LogState,
  operations: readonly Operation[],
  keptIntents: ReadonlySet<string>,
): Finding[] {
  const texts = new Map(
    operations.flatMap(({ actorId, intentId, act }) =>
      'text' in act ? [[`${actorId} ${intentId}`, act.text] as const] : [],
    ),
  );
  return views.flatMap((view) => new ViewCheck(view, state, texts, keptIntents).check(operations));
}

class ViewCheck {
  private readonly findings: Finding[] = [];
  private readonly posts: readonly PostState[];

  constructor(
    private readonly view: View,
    private readonly state: LogState,
    private readonly texts: ReadonlyMap<string, string>,
    private readonly keptIntents: ReadonlySet<string>,
  ) {
    this.posts = [...state.posts.values()];
  }

  check(operations: readonly Operation[]): Finding[] {
    const { view, state } = this;
    const me = view.actorId;
    for (const [actorId, seen] of Object.entries(view.actors)) this.checkActor(actorId, seen);
    const timeline = this.posts.filter(
      (post) => state.canSee(me, post) && (post.author === me || state.stands('follow', me, post.author)),
    );
    this.comparePosts('the timeline', timeline, view.timeline);
    const actorIds = Object.keys(view.actors);
    const blocks = actorIds.filter((other) => state.stands('block', me, other));
    this.compareNames('the list of blocks', blocks, view.blocks);
    this.compareNames(
      'the list of relations',
      this.relations(actorIds),
      view.relations.map(({ kind, targetId, generation }) => `${kind} ${targetId} ${generation}`),
    );
    for (const [id, seen] of Object.entries(view.single)) {
      const post = state.posts.get(id);
      const expected = post && state.canSee(me, post) ? [post] : [];
      this.comparePosts(`post ${id}`, expected, seen ? [seen] : []);
    }
    const own = operations.filter(({ actorId }) => actorId === me);
    const kept = own.filter(({ intentId }) => this.keptIntents.has(`${me} ${intentId}`));
    this.compareNames(
      'the intents that are kept',
      kept.map(({ intentId }) => intentId),
      view.kept,
    );
    return this.findings;
  }

  private relations(actorIds: readonly string[]): string[] {
    const { state, view } = this;
    const me = view.actorId;
    const follows = actorIds.filter(
      (other) => state.stands('follow', me, other) && !state.areApart(me, other),
    );
    const likes = this.posts.filter((post) => state.stands('like', me, post.id) && state.canSee(me, post));
    return [
      ...follows.map((other) => `follow ${other} ${state.generation('follow', me, other)}`),
      ...likes.map(({ id }) => `like ${id} ${state.generation('like', me, id)}`),
    ];
  }

  private checkActor(actorId: string, seen: SeenActor | undefined): void {
    const { state, view } = this;
    const isApart = state.areApart(view.actorId, actorId);
    if (isApart === (seen === undefined)) {
      if (!seen) return;
      const others = Object.keys(view.actors);
      const published = this.posts.filter(
        ({ author, deletedAt }) => author === actorId && deletedAt === undefined,
      );
      this.comparePosts(`the posts of ${actorId}`, published, seen.posts);
      const counts = {
        posts: published.length,
        followers: others.filter((other) => state.stands('follow', other, actorId)).length,
        following: others.filter((other) => state.stands('follow', actorId, other)).length,
      };
      for (const name of ['posts', 'followers', 'following'] as const)
        if (counts[name] !== seen.counts[name])
          this.found(
            'wrong',
            `${name} of ${actorId} are counted as ${seen.counts[name]}, not ${counts[name]}`,
            {},
          );
    } else if (seen) this.found('resurrected', `${actorId} is shown in spite of a block`, { seen });
    else this.found('lost', `${actorId} is not shown`, {});
  }

  private comparePosts(what: string, expected: readonly PostState[], seen: readonly SeenPost[]): void {
    this.compareNames(
      what,
      expected.map(({ id }) => id),
      seen.map(({ id }) => id),
    );
    const states = new Map(expected.map((post) => [post.id, post]));
    for (const shown of seen) {
      const post = states.get(shown.id);
      if (!post) continue;
      const text = this.texts.get(`${post.author} ${post.textIntent}`);
      if (shown.revision !== post.revision || shown.text !== text)
        this.found('wrong', `${what} shows another text or revision of a post`, { shown, post, text });
      const parent = post.parentId === undefined ? undefined : this.state.posts.get(post.parentId);
      const isParentGone =
        post.parentId === undefined ? undefined : !this.state.canSee(this.view.actorId, parent);
      if (shown.parentUnavailable !== isParentGone)
        this.found('wrong', `${what} is wrong about the parent of a reply`, { shown, post, parent });
    }
  }

  private compareNames(what: string, expected: readonly string[], seen: readonly string[]): void {
    const [wanted, shown] = [new Set(expected), new Set(seen)];
    const missing = expected.filter((name) => !shown.has(name));
    const surplus = seen.filter((name) => !wanted.has(name));
    const twice = seen.filter((name, n) => seen.indexOf(name) !== n);
    if (missing.length > 0) this.found('lost', `${what} lacks entries of the log`, { missing });
    if (surplus.length > 0)
      this.found('resurrected', `${what} shows entries that the log no longer has`, { surplus });
    if (twice.length > 0) this.found('doubled', `${what} shows entries twice`, { twice });
  }

  private found(kind: Finding['kind'], what: string, evidence: object): void {
    this.findings.push({ kind, what, evidence: { reader: this.view.actorId, ...evidence } });
  }
}
