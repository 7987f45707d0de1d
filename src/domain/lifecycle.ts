import { Refusal } from './refusal.js';

/**
 * `lifecycle` counts the changes of state of an account, application or post: created (1), suspended (2), reinstated
 * (3) … 0: none yet. Edits and password changes do not count.
 */
export interface LifecycleState {
  readonly status: string;
  readonly lifecycle: number;
}

export interface ExpectedLifecycle {
  readonly lifecycle?: number | undefined;
}

/** `addsGround`: recorded even if the subject is restricted already, since it outlasts the earlier restriction. */
export interface RestrictionSource {
  readonly addsGround?: boolean | undefined;
}

export function staleLifecycle(
  { status, lifecycle }: LifecycleState,
  expected: ExpectedLifecycle,
): Refusal | undefined {
  if (expected.lifecycle === undefined || expected.lifecycle === lifecycle) return undefined;
  return new Refusal(
    'lifecycle_revision_conflict',
    `Its lifecycle revision is now ${lifecycle} (${status}), not ${expected.lifecycle}; read its current state and decide again.`,
  );
}
