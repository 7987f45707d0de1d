import { Refusal } from './refusal.js';

/**
 * What operators decide on, an account, an application or a post, counts the turns of its life: it is there (1), is
 * suspended (2), reinstated (3) … 0: it never was. Nothing else makes a turn: no edit, no other password.
 */
export interface LifecycleState {
  readonly status: string;
  readonly lifecycle: number;
}

/** `lifecycle`: the turn that whoever acts has seen last. Undefined: whichever it is by now. */
export interface ExpectedLifecycle {
  readonly lifecycle?: number | undefined;
}

/** Why nothing is done to it: it has taken another turn than was seen. Undefined: that is the newest. */
export function staleLifecycle(
  { status, lifecycle }: LifecycleState,
  seen: ExpectedLifecycle,
): Refusal | undefined {
  if (seen.lifecycle === undefined || seen.lifecycle === lifecycle) return undefined;
  return new Refusal(
    'lifecycle_revision_conflict',
    `It is at lifecycle revision ${lifecycle} now (${status}), not at ${seen.lifecycle}; look at what was done to it, and decide anew.`,
  );
}
