import type { Operation, Read } from '../history.js';
import type { Finding } from './finding.js';

/** A deletion or block since its acknowledgment, as tick and log position. */
interface Gone {
  readonly operation: Operation;
  readonly ackedAt: number;
  readonly revision: number;
  /** Time of the unblock request. */
  endSentAt?: number;
}

/**
 * Compares each read with the acknowledged restrictions, which hold for everyone, at once and for good. A violation
 * counts as `resurrected` for the restricting actor and for actors with an answer as new as the restriction.
 */
export class Sightings {
  readonly findings: Finding[] = [];
  private readonly deleted = new Map<string, Gone>();
  private readonly blocks = new Map<string, Gone>();
  private readonly newest = new Map<string, number>();

  sent({ actorId, act, sentAt }: Operation): void {
    if (act.kind !== 'unblock') return;
    const block = this.blocks.get(`${actorId} ${act.actorId}`);
    if (block) block.endSentAt ??= sentAt;
  }

  answered(operation: Operation): void {
    const { actorId, act, outcome, answeredAt } = operation;
    if (outcome.is !== 'acknowledged' || answeredAt === undefined) return;
    const gone = { operation, ackedAt: answeredAt, revision: outcome.revision };
    if (act.kind === 'delete') this.deleted.set(act.postId, gone);
    if (act.kind === 'block') this.blocks.set(`${actorId} ${act.actorId}`, gone);
  }

  deletedPosts(): string[] {
    return [...this.deleted.keys()];
  }

  newestRead(actorId: string): number {
    return this.newest.get(actorId) ?? 0;
  }

  read(read: Read): void {
    const { actorId, revision } = read;
    // anonymous reads belong to many people at once, so their revisions need not ascend
    const before = actorId === undefined ? 0 : this.newestRead(actorId);
    if (revision > 0 && revision < before)
      this.findings.push({
        kind: 'out of order',
        what: `an answer is of revision ${revision} after one of ${before}`,
        evidence: { read },
      });
    const seen = Math.max(before, revision);
    if (actorId !== undefined) this.newest.set(actorId, seen);
    for (const item of read.shown) {
      const deletion = item.postId === undefined ? undefined : this.deleted.get(item.postId);
      if (deletion) this.judge('a deleted post', deletion, read, seen);
      if (read.actorId === undefined || item.actorId === read.actorId) continue;
      for (const pair of [`${read.actorId} ${item.actorId}`, `${item.actorId} ${read.actorId}`]) {
        const block = this.blocks.get(pair);
        if (block) this.judge('a blocked person', block, read, seen);
      }
    }
  }

  private judge(what: string, gone: Gone, read: Read, seen: number): void {
    if (gone.ackedAt > read.sentAt) return;
    if (gone.endSentAt !== undefined && gone.endSentAt < read.answeredAt) return;
    const wasGone = gone.operation.actorId === read.actorId || seen >= gone.revision;
    const { shown: _shown, ...answer } = read;
    this.findings.push({
      kind: wasGone ? 'resurrected' : 'shown',
      what: `a read shows ${what}`,
      evidence: { gone, read: answer },
    });
  }
}
