/** A change of one post or account, as its stream has it. `isOwn`: this batch caused it. */
export interface ItemChange {
  readonly type: string;
  readonly isOwn: boolean;
}

const restrictions: ReadonlySet<string> = new Set(['post.restricted', 'account.suspended']);

export const isRestricting = (type: string): boolean => restrictions.has(type);

const lifecycle: ReadonlySet<string> = new Set([
  ...restrictions,
  'post.unrestricted',
  'post.deleted',
  'account.reinstated',
  'account.erased',
  'account.erasure_requested',
]);

/** The batch restricted the item, also if somebody lifted that since: it never does it twice. */
export const isRestrictedBy = (past: readonly ItemChange[]): boolean =>
  past.some(({ type, isOwn }) => isOwn && restrictions.has(type));

/** Nobody acted on the item after the batch restricted it. */
export function mayLift(past: readonly ItemChange[]): boolean {
  const last = past.findLast(({ type }) => lifecycle.has(type));
  return last !== undefined && last.isOwn && restrictions.has(last.type);
}

/** The batch's own undo was the last act on the item. */
export function isLiftedBy(past: readonly ItemChange[]): boolean {
  const last = past.findLast(({ type }) => lifecycle.has(type));
  return last !== undefined && last.isOwn && !restrictions.has(last.type);
}
