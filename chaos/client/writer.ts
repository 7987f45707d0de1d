import { setTimeout as pause } from 'node:timers/promises';
import type { Act, Operation, Outcome } from '../history.js';
import type { Random } from '../random.js';
import { NoAnswer } from './session.js';
import type { Answer, Asked, Session } from './session.js';
import type { Shared } from './shared.js';

const REST_MS = { least: 20, most: 250 };
const TALKED_ABOUT = 60;

const weights = {
  post: 24,
  reply: 12,
  edit: 10,
  delete: 10,
  follow: 10,
  unfollow: 6,
  block: 3,
  unblock: 6,
  like: 12,
  unlike: 5,
  repeat: 6,
} as const;

export interface Person {
  readonly actorId: string;
  readonly handle: string;
}

/** Acts sequentially, each under one intent until a definite answer. */
export class Writer {
  readonly own = new Map<
    string,
    { revision: number; sentAt: number; deletionSentAt?: number; ackedAt: number }
  >();
  private readonly follows = new Set<string>();
  private readonly blocks = new Set<string>();
  private readonly likes = new Set<string>();
  private readonly generations = new Map<string, string>();
  /** Acts that changed something for certain: a repetition must get the same answer. */
  private readonly repeatable: Operation[] = [];
  private knownRevision = 0;
  done = 0;
  private acts = 0;

  constructor(
    private readonly person: Person,
    private readonly others: readonly Person[],
    private readonly session: Session,
    private readonly shared: Shared,
    private readonly random: Random,
  ) {}

  readonly blockState = { blocks: this.blocks, changing: false, changedAt: 0 };

  async live(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.actOnce();
      await pause(this.random.between(REST_MS.least, REST_MS.most));
    }
  }

  private async actOnce(): Promise<void> {
    const kind = this.random.weighted(weights);
    if (kind === 'repeat') return this.repeat(this.random.pick(this.repeatable));
    const act = this.choose(kind);
    if (act) await this.carryOut(act);
  }

  private choose(kind: Exclude<keyof typeof weights, 'repeat'>): Act | undefined {
    const { random, shared } = this;
    const text = `${this.person.handle} says ${this.acts + 1}: ${random.between(0, 1e9)}`;
    const living = [...this.own].filter(([, { deletionSentAt }]) => deletionSentAt === undefined);
    const known = shared.posts.slice(-TALKED_ABOUT);
    const person = (among: ReadonlySet<string>, isIn: boolean): string | undefined =>
      random.pick(this.others.filter(({ actorId }) => among.has(actorId) === isIn))?.actorId;
    const [postId, own] = random.pick(living.slice(-TALKED_ABOUT)) ?? [];
    switch (kind) {
      case 'post': {
        const mentioned = random.next() < 0.3 ? random.pick(this.others) : undefined;
        return { kind, text: mentioned ? `${text} @${mentioned.handle}` : text };
      }
      case 'reply': {
        const parent = random.pick(known);
        return { kind: 'post', text, ...(parent && { parentId: parent.id }) };
      }
      case 'edit':
        return postId !== undefined && own ? { kind, postId, text, revision: own.revision } : undefined;
      case 'delete':
        return postId !== undefined && own ? { kind, postId, revision: own.revision } : undefined;
      case 'like':
      case 'unlike': {
        const post = random.pick(kind === 'like' ? known.map(({ id }) => id) : [...this.likes]);
        return post === undefined ? undefined : { kind, postId: post };
      }
      case 'follow':
      case 'unfollow':
      case 'block':
      case 'unblock': {
        const among = kind === 'block' || kind === 'unblock' ? this.blocks : this.follows;
        const actorId = person(among, kind === 'unfollow' || kind === 'unblock');
        return actorId === undefined ? undefined : { kind, actorId };
      }
    }
  }

  private async carryOut(act: Act): Promise<void> {
    const { shared } = this;
    const operation: Operation = {
      actorId: this.person.actorId,
      intentId: `${this.person.handle}-${++this.acts}`,
      act,
      sentAt: shared.ticks.next(),
      knownRevision: this.knownRevision,
      outcome: { is: 'open' },
      repeated: [],
    };
    shared.operations.push(operation);
    shared.sightings.sent(operation);
    if (act.kind === 'delete') this.ownPost(act.postId).deletionSentAt = operation.sentAt;
    if (act.kind === 'block' || act.kind === 'unblock') this.blockState.changing = true;
    operation.outcome = await this.outcomeOf(operation);
    operation.answeredAt = shared.ticks.next();
    shared.sightings.answered(operation);
    if (operation.outcome.is !== 'acknowledged') return;
    this.done++;
    shared.acknowledged++;
    shared.newestRevision = Math.max(shared.newestRevision, operation.outcome.revision);
    shared.writes.succeeded();
    this.knownRevision = Math.max(this.knownRevision, operation.outcome.revision);
    this.remember(operation, operation.outcome);
  }

  private remember(operation: Operation, { body }: Extract<Outcome, { is: 'acknowledged' }>): void {
    const { act, sentAt } = operation;
    const ackedAt = operation.answeredAt ?? sentAt;
    let changed = true;
    switch (act.kind) {
      case 'post':
        if (!body.post) return;
        this.own.set(body.post.id, { revision: body.post.revision, sentAt, ackedAt });
        this.shared.posts.push({ id: body.post.id, author: this.person.actorId });
        break;
      case 'edit':
        this.ownPost(act.postId).revision = body.post?.revision ?? 0;
        break;
      case 'delete':
        break;
      case 'follow':
      case 'unfollow': {
        // A block by the other person also ends a follow, so only a new generation proves a change.
        const generation = body.relation?.generation ?? '';
        changed = act.kind === 'follow' && generation !== this.generations.get(act.actorId);
        this.generations.set(act.actorId, generation);
        setIn(this.follows, act.actorId, act.kind === 'follow');
        break;
      }
      case 'block':
      case 'unblock':
        changed = setIn(this.blocks, act.actorId, act.kind === 'block');
        if (act.kind === 'block') this.follows.delete(act.actorId);
        this.blockState.changing = false;
        this.blockState.changedAt = ackedAt;
        break;
      case 'like':
      case 'unlike':
        changed = setIn(this.likes, act.postId, act.kind === 'like');
        break;
    }
    if (changed) this.repeatable.push(operation);
  }

  private ownPost(id: string) {
    const post = this.own.get(id);
    if (!post) throw new Error(`${id} is not a post of ${this.person.handle}`);
    return post;
  }

  private async repeat(operation: Operation | undefined): Promise<void> {
    if (operation) operation.repeated.push(await this.outcomeOf(operation));
  }

  /** Returns `open` without a definite answer. */
  private async outcomeOf(operation: Operation): Promise<Outcome> {
    const { act, intentId } = operation;
    try {
      return outcomeFrom(await this.session.ask(requestFor(act, intentId)));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      const kind = 'wrong';
      this.shared.findings.push({
        kind,
        what: 'no definite answer after all retries',
        evidence: { operation, why: error.message },
      });
      throw error;
    }
  }
}

export const outcomeFrom = ({ status, body, header }: Answer): Outcome =>
  status === 200
    ? { is: 'acknowledged', body, revision: Number(header('x-network-write-revision') ?? 0) }
    : { is: 'refused', status, code: String(body?.error) };

export function requestFor(act: Act, intentId: string): Asked {
  const query = `intentId=${intentId}`;
  switch (act.kind) {
    case 'post': {
      const { kind: _kind, ...fields } = act;
      return { method: 'POST', path: '/api/posts', body: { intentId, audience: 'public', ...fields } };
    }
    case 'edit': {
      const { text, revision } = act;
      return { method: 'PATCH', path: `/api/posts/${act.postId}`, body: { intentId, text, revision } };
    }
    case 'delete':
      return { method: 'DELETE', path: `/api/posts/${act.postId}?${query}&revision=${act.revision}` };
    case 'follow':
      return { method: 'PUT', path: `/api/relations/follow/${act.actorId}`, body: { intentId } };
    case 'unfollow':
      return { method: 'DELETE', path: `/api/relations/follow/${act.actorId}?${query}` };
    case 'like':
      return { method: 'PUT', path: `/api/relations/like/${act.postId}`, body: { intentId } };
    case 'unlike':
      return { method: 'DELETE', path: `/api/relations/like/${act.postId}?${query}` };
    case 'block':
      return { method: 'PUT', path: `/api/blocks/${act.actorId}`, body: { intentId } };
    case 'unblock':
      return { method: 'DELETE', path: `/api/blocks/${act.actorId}?${query}` };
  }
}

function setIn(set: Set<string>, item: string, isIn: boolean): boolean {
  return isIn ? !set.has(item) && set.add(item) !== undefined : set.delete(item);
}
