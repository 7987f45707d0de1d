import { isDeepStrictEqual } from 'node:util';
import type { Act, LogEvent, Operation, Outcome } from '../history.js';
import type { Finding, FindingKind } from './finding.js';
import { LogState } from './log-state.js';

/** The event that each act causes. The follows that a block ends have the same intent and do not count. */
const eventOf: { readonly [Kind in Act['kind']]: string } = {
  post: 'post.created',
  edit: 'post.edited',
  delete: 'post.deleted',
  follow: 'relation.established',
  unfollow: 'relation.ended',
  like: 'relation.established',
  unlike: 'relation.ended',
  block: 'block.established',
  unblock: 'block.ended',
};

/**
 * Compares every answer with the log: acknowledged acts are in it once and in order, refused ones are not, repeated
 * answers agree.
 */
export function checkAcknowledged(operations: readonly Operation[], events: readonly LogEvent[]): Finding[] {
  return new AnswerCheck(operations, events).check();
}

class AnswerCheck {
  private readonly findings: Finding[] = [];
  private readonly state: LogState;
  private readonly byIntent = new Map<string, LogEvent[]>();
  private readonly actors: ReadonlySet<string>;

  constructor(
    private readonly operations: readonly Operation[],
    events: readonly LogEvent[],
  ) {
    this.state = new LogState(events);
    this.actors = new Set(operations.map(({ actorId }) => actorId));
    for (const event of events) {
      if (event.intentId === undefined) continue;
      const key = `${event.actorId} ${event.intentId}`;
      this.byIntent.set(key, [...(this.byIntent.get(key) ?? []), event]);
    }
  }

  check(): Finding[] {
    const known = new Set(this.operations.map(keyOf));
    for (const [key, events] of this.byIntent)
      if (!known.has(key) && this.actors.has(events[0]?.actorId ?? ''))
        this.findings.push({ kind: 'doubled', what: 'an event without an operation', evidence: { events } });
    for (const operation of this.operations) {
      this.checkOne(operation);
      this.checkRepeated(operation);
    }
    this.checkOrder();
    return this.findings;
  }

  private checkOne(operation: Operation): void {
    const { act, outcome } = operation;
    const events = this.eventsOf(operation);
    const [event] = events;
    if (events.length > 1) this.found('doubled', `${act.kind} has ${events.length} events`, operation);
    if (outcome.is === 'refused') {
      if (event) this.found('wrong', `${act.kind} was refused and is in the log`, operation);
      else if (!this.mayBeRefused(operation, outcome.code))
        this.found('wrong', `${act.kind} was refused without a cause: ${outcome.code}`, operation);
    }
    if (outcome.is !== 'acknowledged') return;
    if (!event) {
      if (!this.changedNothing(operation))
        this.found('lost', `${act.kind} was acknowledged and is not in the log`, operation);
      return;
    }
    if (outcome.revision < event.position)
      this.found('wrong', 'the acknowledged revision is older than the event', operation);
    const fault = answerFault(act, outcome, event);
    if (fault !== undefined) this.found('wrong', fault, operation);
  }

  private eventsOf(operation: Operation): LogEvent[] {
    const all = this.byIntent.get(keyOf(operation)) ?? [];
    return all.filter(({ type }) => type === eventOf[operation.act.kind]);
  }

  /** An act without effect is acknowledged without an event. Another actor may have changed the state meanwhile. */
  private changedNothing({ act, actorId, knownRevision }: Operation): boolean {
    switch (act.kind) {
      case 'post':
      case 'edit':
      case 'delete':
        return false;
      case 'follow':
      case 'unfollow':
        return this.stoodSince('follow', actorId, act.actorId, knownRevision, act.kind === 'follow');
      case 'block':
      case 'unblock':
        return this.stoodSince('block', actorId, act.actorId, knownRevision, act.kind === 'block');
      case 'like':
      case 'unlike':
        return this.stoodSince('like', actorId, act.postId, knownRevision, act.kind === 'like');
    }
  }

  private stoodSince(
    kind: 'follow' | 'like' | 'block',
    actorId: string,
    targetId: string,
    position: number,
    wanted: boolean,
  ): boolean {
    return this.state.statesSince(kind, actorId, targetId, position).includes(wanted);
  }

  /** Another actor's act can cause a refusal of a follow, like or reply only. */
  private mayBeRefused({ act, actorId, knownRevision }: Operation, code: string): boolean {
    const isGone = (postId: string) => {
      const post = this.state.posts.get(postId);
      return (
        !post ||
        post.deletedAt !== undefined ||
        this.state.wereApartSince(actorId, post.author, knownRevision)
      );
    };
    switch (act.kind) {
      case 'follow':
        return (
          code === 'interaction_unavailable' && this.state.wereApartSince(actorId, act.actorId, knownRevision)
        );
      case 'like':
        return code === 'interaction_unavailable' && isGone(act.postId);
      case 'post':
        return code === 'parent_unavailable' && act.parentId !== undefined && isGone(act.parentId);
      case 'edit':
      case 'delete':
      case 'unfollow':
      case 'block':
      case 'unblock':
      case 'unlike':
        return false;
    }
  }

  private checkRepeated(operation: Operation): void {
    const { act, outcome, repeated } = operation;
    for (const again of repeated) {
      if (outcome.is !== 'acknowledged' || again.is === 'open') continue;
      if (!isSameAnswer(act, outcome, again))
        this.found('wrong', 'a repeated intent has another answer', operation);
    }
  }

  /** Sequential acts of one actor must be in the log in that order. */
  private checkOrder(): void {
    const newest = new Map<string, { operation: Operation; event: LogEvent }>();
    for (const operation of this.operations.toSorted((a, b) => a.sentAt - b.sentAt)) {
      const [event] = this.eventsOf(operation);
      if (!event || operation.outcome.is !== 'acknowledged') continue;
      const before = newest.get(operation.actorId);
      if (before && before.event.position > event.position)
        this.findings.push({
          kind: 'out of order',
          what: 'the log has an act before one that was acknowledged earlier',
          evidence: { before, after: { operation, event } },
        });
      newest.set(operation.actorId, { operation, event });
    }
  }

  private found(kind: FindingKind, what: string, operation: Operation): void {
    const events = this.byIntent.get(keyOf(operation)) ?? [];
    this.findings.push({ kind, what, evidence: { operation, events } });
  }
}

const keyOf = ({ actorId, intentId }: Operation) => `${actorId} ${intentId}`;

type Acknowledged = Extract<Outcome, { is: 'acknowledged' }>;

/** Returns the contradiction between an acknowledgment and its event. */
function answerFault(act: Act, { body }: Acknowledged, { data, stream }: LogEvent): string | undefined {
  switch (act.kind) {
    case 'post':
    case 'edit':
    case 'delete':
      if (stream !== `post-${body.post?.id}`) return 'the acknowledged post differs from the log';
      return act.kind === 'edit' && body.post?.revision !== data['revision']
        ? 'the acknowledged revision of the post differs from the log'
        : undefined;
    case 'block':
    case 'unblock':
      return body.blocked === (act.kind === 'block')
        ? undefined
        : 'the acknowledged block differs from the request';
    case 'follow':
    case 'unfollow':
    case 'like':
    case 'unlike':
      return body.relation?.generation === String(data['generation'])
        ? undefined
        : 'the acknowledged generation differs from the log';
  }
}

/** A post may have been edited or deleted since, so only its identity must agree. */
function isSameAnswer({ kind }: Act, first: Acknowledged, again: Outcome): boolean {
  if (again.is !== 'acknowledged') return false;
  return kind === 'post' || kind === 'edit' || kind === 'delete'
    ? again.body.post?.id === first.body.post?.id
    : isDeepStrictEqual(again.body, first.body);
}
