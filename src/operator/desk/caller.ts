import { limitedSharedToken, permissionsOf, SHARED_TOKEN } from '../../domain/operator/roles.js';
import type { Permission, Role } from '../../domain/operator/roles.js';

/** The sender of a request to the operator's port, as the credential proves it. */
export type Caller =
  | { readonly kind: 'operator'; readonly operatorId: string; readonly roles: readonly Role[] }
  /**
   * `isLimited`: true also for an act that does not depend on it. `fault`: it is unknown whether the token is limited,
   * so it counts as limited.
   */
  | { readonly kind: 'shared'; readonly isLimited: boolean; readonly fault?: Error }
  | { readonly kind: 'anyone' };

export function mayUse(caller: Caller, permission: Permission): boolean {
  switch (caller.kind) {
    case 'operator':
      return caller.roles.some((role) => permissionsOf[role].includes(permission));
    case 'shared':
      return !caller.isLimited || limitedSharedToken.includes(permission);
    case 'anyone':
      return false;
  }
}

export function operatorIdOf(caller: Caller): string | undefined {
  if (caller.kind === 'operator') return caller.operatorId;
  return caller.kind === 'shared' ? SHARED_TOKEN : undefined;
}

/** The caller of an act of `self`, which only operators may do. */
export function ownIdOf(caller: Caller): string {
  if (caller.kind === 'operator') return caller.operatorId;
  throw new Error('an act on oneself was admitted without an operator');
}
