import { SHARED_TOKEN } from '../../domain/operator/roles.js';

/** `operatorId`: as the credential proved it. `operator`: the name that the client claimed, which nothing proves. */
export interface Acting {
  readonly operatorId?: string | null | undefined;
  readonly operator?: string | null | undefined;
}

type Names = Readonly<Record<string, string>>;

/** Values of `operatorId` that are no operator's (src/log/recorded.ts). */
export const identities: Names = { [SHARED_TOKEN]: 'shared token', offline: 'offline restore' };

/**
 * The operator who acted, for people: `operator Grace, says: root`. Undefined: no operator did. `names`: of operators, by
 * id.
 */
export function actingText({ operatorId, operator }: Acting, names: Names = {}): string | undefined {
  if (operatorId == null) return operator == null ? undefined : `${operator} (claimed)`;
  const who = identities[operatorId] ?? `operator ${names[operatorId] ?? operatorId}`;
  return operator == null ? who : `${who}, says: ${operator}`;
}
