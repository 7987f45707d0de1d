/** The clients' requests and answers, as plain data for files and for tests that alter it. */

export type Act =
  | { readonly kind: 'post'; readonly text: string; readonly parentId?: string }
  | { readonly kind: 'edit'; readonly postId: string; readonly text: string; readonly revision: number }
  | { readonly kind: 'delete'; readonly postId: string; readonly revision: number }
  | { readonly kind: 'follow' | 'unfollow' | 'block' | 'unblock'; readonly actorId: string }
  | { readonly kind: 'like' | 'unlike'; readonly postId: string };

export type Outcome =
  | { readonly is: 'acknowledged'; readonly body: Body; readonly revision: number }
  | { readonly is: 'refused'; readonly status: number; readonly code: string }
  /** No definite answer: the outcome is unknown. */
  | { readonly is: 'open' };

export interface Body {
  readonly post?: { readonly id: string; readonly revision: number; readonly status: string };
  readonly relation?: { readonly generation: string; readonly [field: string]: unknown };
  readonly blocked?: boolean;
}

/**
 * One intent of one actor, with all its retries. Times are ticks of one clock for all clients (see {@link Ticks}).
 * One actor's operations are sequential.
 */
export interface Operation {
  readonly actorId: string;
  readonly intentId: string;
  readonly act: Act;
  readonly sentAt: number;
  /** Newest log position in the actor's answers before this operation. */
  readonly knownRevision: number;
  outcome: Outcome;
  answeredAt?: number;
  /** Answers to repetitions after the first answer. */
  readonly repeated: Outcome[];
}

export interface Read {
  readonly actorId: string | undefined;
  readonly path: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** `x-network-revision`; 0 without that header. */
  readonly revision: number;
  readonly shown: readonly ShownItem[];
}

/** A post, or an inbox entry with its actor. A follow's entry has no post. */
export interface ShownItem {
  readonly postId?: string;
  readonly actorId: string;
}

/** An event as a plain client reads it, with encrypted texts. */
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

/** A logical clock: every request and answer gets its own tick. */
export class Ticks {
  private now = 0;

  next(): number {
    return ++this.now;
  }
}
