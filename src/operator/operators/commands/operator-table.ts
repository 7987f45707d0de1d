import type { ListedOperator } from '../../desk/operators.js';
import { localMoment } from '../../../base/terminal/output.js';
import { tableLines } from '../../../base/terminal/table.js';

/** Names are chosen by people, so they stand in the last column (see `tableLines`). */
export function operatorLines(listed: readonly ListedOperator[]): string[] {
  if (listed.length === 0) return ['no operator is invited'];
  return tableLines(
    ['OPERATOR ID', 'STATE', 'ROLES', 'NAME AND CREDENTIALS'],
    listed.map((each) => [
      each.operatorId,
      each.needsConfirmation ? [each.state, 'NOT CONFIRMED'] : each.state,
      each.roles,
      [
        each.name,
        ...each.sameNameAs.map((id) => `SAME NAME as ${id}`),
        ...(each.invitationExpiresAt === null
          ? []
          : [`invited until ${localMoment(each.invitationExpiresAt)}`]),
        ...each.tokens.map(tokenLine),
        ...each.passkeys.map(passkeyLine),
      ],
    ]),
  );
}

function tokenLine({
  tokenId,
  label,
  expiresAt,
  revokedAt,
  lastUsedOn,
}: ListedOperator['tokens'][number]): string {
  const state = revokedAt === null ? `until ${localMoment(expiresAt)}` : `revoked ${localMoment(revokedAt)}`;
  const use = lastUsedOn === null ? 'never used' : `last used on ${lastUsedOn}`;
  return `token ${tokenId} ${state}, ${use}: ${label}`;
}

function passkeyLine({
  passkeyId,
  label,
  removedAt,
  lastUsedOn,
}: ListedOperator['passkeys'][number]): string {
  const state = removedAt === null ? '' : ` removed ${localMoment(removedAt)}`;
  const use = lastUsedOn === null ? 'never used to sign in' : `last used on ${lastUsedOn}`;
  return `passkey ${passkeyId}${state}, ${use}: ${label}`;
}
