import { z } from 'zod';
import { isConfusable } from '../../domain/operator/name.js';
import { roles } from '../../domain/operator/roles.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { namedOperators } from '../../base/store/authority/named-operators.js';
import { listOf } from './schemas.js';

const lastUse = {
  /** A day, as `2026-01-31`. Null: never. */
  lastUsedOn: z.string().nullable(),
};

/** Times in Unix milliseconds. Never a token or its hash. */
export const listedOperator = z.strictObject({
  operatorId: z.string(),
  name: z.string(),
  state: z.enum(['invited', 'active', 'suspended']),
  roles: listOf(z.enum(roles)),
  invitedAt: z.number(),
  invitationExpiresAt: z.number().nullable(),
  /** The limited shared token invited, and no administrator has confirmed it. */
  needsConfirmation: z.boolean(),
  /** Ids of others who have the same name, if neither is suspended. */
  sameNameAs: listOf(z.string()),
  tokens: listOf(
    z.strictObject({
      tokenId: z.string(),
      label: z.string(),
      issuedAt: z.number(),
      expiresAt: z.number(),
      revokedAt: z.number().nullable(),
      ...lastUse,
    }),
  ),
  passkeys: listOf(
    z.strictObject({
      passkeyId: z.string(),
      label: z.string(),
      registeredAt: z.number(),
      removedAt: z.number().nullable(),
      ...lastUse,
    }),
  ),
});

export type ListedOperator = z.infer<typeof listedOperator>;

const listOperators = `
  SELECT json_build_object('operatorId', operator_id, 'name', name, 'roles', roles,
    'state', CASE WHEN suspended THEN 'suspended' WHEN enrolled_at IS NULL THEN 'invited' ELSE 'active' END,
    'invitedAt', invited_at,
    'invitationExpiresAt', CASE WHEN enrolled_at IS NULL THEN invitation_expires_at END,
    'needsConfirmation', needs_confirmation,
    'tokens', coalesce((
      SELECT json_agg(json_build_object('tokenId', token_id, 'label', label, 'issuedAt', issued_at,
        'expiresAt', expires_at, 'revokedAt', revoked_at, 'lastUsedOn', last_used_on) ORDER BY issued_at, token_id)
      FROM authority.operator_token token LEFT JOIN authority.operator_token_use USING (token_id)
      WHERE token.operator_id = operator.operator_id AND issued_at IS NOT NULL), '[]'),
    'passkeys', coalesce((
      SELECT json_agg(json_build_object('passkeyId', passkey_id, 'label', label, 'registeredAt', registered_at,
        'removedAt', removed_at, 'lastUsedOn', last_used_on) ORDER BY registered_at, passkey_id)
      FROM authority.operator_passkey passkey LEFT JOIN authority.operator_passkey_use USING (passkey_id)
      WHERE passkey.operator_id = operator.operator_id AND registered_at IS NOT NULL), '[]')) AS listed
  FROM authority.operator WHERE invited_at IS NOT NULL AND ($1::text IS NULL OR operator_id = $1)
  ORDER BY invited_at, operator_id`;

/** `operatorId` undefined: of all operators. */
export async function operatorsOf(
  store: AuthorityStore,
  operatorId?: string,
): Promise<readonly ListedOperator[]> {
  const rows = await store.db.query<{ listed: Omit<ListedOperator, 'sameNameAs'> }[]>(listOperators, [
    operatorId ?? null,
  ]);
  const named = (await namedOperators(store)).filter(({ isSuspended }) => !isSuspended);
  const withSameName = (listed: Omit<ListedOperator, 'sameNameAs'>): ListedOperator => {
    const others = named.filter(
      (each) => each.operatorId !== listed.operatorId && isConfusable(listed.name, each),
    );
    const sameNameAs = listed.state === 'suspended' ? [] : others.map((each) => each.operatorId);
    return { ...listed, sameNameAs };
  };
  return rows.map(({ listed }) => withSameName(listed));
}
