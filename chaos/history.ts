/** What clients asked for and were told. Plain data: it can be written to a file, and altered by a test. */

/** A change that a client asks for. Ids are those of the API. */
export type Act =
  | { readonly kind: 'post'; readonly text: string; readonly parentId?: string }
  | { readonly kind: 'edit'; readonly postId: string; readonly text: string; readonly revision: number }
  | { readonly kind: 'delete'; readonly postId: string; readonly revision: number }
  | { readonly kind: 'follow' | 'unfollow' | 'block' | 'unblock'; readonly actorId: string }
  | { readonly kind: 'like' | 'unlike'; readonly postId: string };

export type Outcome =
  | { readonly is: 'acknowledged'; readonly body: Body; readonly revision: number }
  | { readonly is: 'refused'; readonly status: number; readonly code: string }
  /** No definite answer: it may have happened or not. */
  | { readonly is: 'open' };

/** The bodies of acknowledgments. */
export interface Body {
  readonly post?: { readonly id: string; readonly revision: number; readonly status: string };
  readonly relation?: { readonly generation: string; readonly [field: string]: unknown };
  readonly blocked?: boolean;
}

/**
 * One intent of one actor, with all its retries. Times are ticks of one clock for all clients (see {@link Ticks}); the
 * operations of one actor follow each other.
 */
export interface Operation {
  readonly actorId: string;
  readonly intentId: string;
  readonly act: Act;
  readonly sentAt: number;
  /** Newest position in the log that the actor had been told of before. */
  readonly knownRevision: number;
  outcome: Outcome;
  answeredAt?: number;
  /** Answers to the same request, sent again after the first answer. */
  readonly repeated: Outcome[];
}

/** A read that was answered with 200 or 404. */
export interface Read {
  /** Undefined: anonymous. */
  readonly actorId: string | undefined;
  readonly path: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** `x-network-revision`; 0 where the answer has none. */
  readonly revision: number;
  readonly shown: readonly ShownItem[];
}

/** A post, or an inbox entry about one, with the actor it is from. An entry about a follow has no post. */
export interface ShownItem {
  readonly postId?: string;
  readonly actorId: string;
}

/** An event of the log, as the plain client reads it. Texts are encrypted there. */
export interface LogEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly actorId?: string | undefined;
  readonly intentId?: string | undefined;
}

/** A logical clock: every request and every answer has a tick of its own. */
export class Ticks {
  private now = 0;

  next(): number {
    return ++this.now;
  }
}
