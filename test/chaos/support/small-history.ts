import { checkAcknowledged } from '../../../chaos/checker/acknowledged.js';
import type { Finding } from '../../../chaos/checker/finding.js';
import { checkLogShape } from '../../../chaos/checker/log-shape.js';
import type { Act, Body, LogEvent, Operation } from '../../../chaos/history.js';

/** A few operations and a log that has all of them. The checker finds nothing until a test alters one of the two. */
export class SmallHistory {
  readonly operations: Operation[] = [];
  readonly log: LogEvent[] = [];
  private tick = 0;

  /** Adds an acknowledged operation; without `event` it changed nothing. */
  addOperation(
    actorId: string,
    act: Act,
    body: Body,
    event?: { readonly type: string; readonly stream: string; readonly data: Record<string, unknown> },
  ): Operation {
    const intentId = `intent-${this.operations.length}`;
    const knownRevision = this.log.at(-1)?.position ?? 0;
    if (event) {
      const revision = this.log.filter(({ stream }) => stream === event.stream).length;
      const position = 100 * (this.log.length + 1);
      this.log.push({ ...event, id: `event-${this.log.length}`, revision, position, actorId, intentId });
    }
    const operation: Operation = {
      actorId,
      intentId,
      act,
      sentAt: ++this.tick,
      knownRevision,
      outcome: { is: 'acknowledged', body, revision: this.log.at(-1)?.position ?? 0 },
      answeredAt: ++this.tick,
      repeated: [],
    };
    this.operations.push(operation);
    return operation;
  }

  post(actorId: string, postId: string): Operation {
    const post = { id: postId, revision: 1, status: 'published' };
    const data = { postId, authorActorId: actorId };
    const event = { type: 'post.created', stream: `post-${postId}`, data };
    return this.addOperation(actorId, { kind: 'post', text: 'x' }, { post }, event);
  }

  delete(actorId: string, postId: string): Operation {
    const post = { id: postId, revision: 2, status: 'deleted' };
    const data = { postId, authorActorId: actorId };
    const event = { type: 'post.deleted', stream: `post-${postId}`, data };
    return this.addOperation(actorId, { kind: 'delete', postId, revision: 1 }, { post }, event);
  }

  follow(actorId: string, targetId: string, generation = 1): Operation {
    const data = { kind: 'follow', actorId, targetId, targetActorId: targetId, generation };
    return this.addOperation(
      actorId,
      { kind: 'follow', actorId: targetId },
      { relation: { generation: String(generation) } },
      { type: 'relation.established', stream: `pair-${[actorId, targetId].sort().join('.')}`, data },
    );
  }

  block(actorId: string, targetActorId: string): Operation {
    const data = { actorId, targetActorId };
    return this.addOperation(
      actorId,
      { kind: 'block', actorId: targetActorId },
      { blocked: true },
      { type: 'block.established', stream: `pair-${[actorId, targetActorId].sort().join('.')}`, data },
    );
  }

  findings(log: readonly LogEvent[] = this.log): Finding[] {
    return [...checkLogShape(log), ...checkAcknowledged(this.operations, log)];
  }
}
