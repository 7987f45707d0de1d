import { confirmsAlone } from '../../domain/four-eyes/handling.js';
import { normalizedName } from '../../domain/name.js';
import { requireUnusedName } from '../../commands/operator/operator-names.js';
import { addsPermission, canonicalRoles } from '../../domain/operator/roles.js';
import type { Role } from '../../domain/operator/roles.js';
import { Refusal } from '../../domain/refusal.js';
import { HttpRefusal } from '../../server/errors.js';
import { streams } from '../../log/streams.js';
import { aboutOne } from '../desk/approvals/words.js';
import type { ApprovalRule } from '../desk/act.js';
import { operatorsOf } from '../desk/operators.js';
import { idIn } from '../desk/schemas.js';
import type { ActServices } from '../desk/services.js';

interface Chosen {
  readonly roles: readonly Role[];
}

const streamOf = (params: Readonly<Record<string, string>>): string => streams.operator(idIn(params));

/** Each identity is made by two: otherwise one person could invite the other one who approves their acts. */
export const invitationApproval: ApprovalRule<Chosen & { readonly name: string }> = {
  when: 'always',
  words: () => ({
    asks: 'Invite an operator',
    does: 'Who requested it gets an invitation for this person, who then counts as a second person at once: ask them first.',
    about: null,
  }),
  isEmergency: ({ roles }) => roles.includes('administrator'),
  streamOf: (_params, approvalId) => streams.operator(approvalId),
  preview: async ({ name, roles }, { services }) => {
    const invited = normalizedName(name, 'The name');
    if (invited instanceof Refusal) throw invited;
    await requireUnusedName(services.store, invited);
    return { facts: { name: invited, roles: canonicalRoles(roles) } };
  },
};

export const promotionApproval: ApprovalRule<Chosen> = {
  when: 'if it adds a permission',
  words: () => ({
    asks: 'Give an operator more permissions',
    does: 'The operator has the new roles at once, in place of those of now.',
    about: aboutOne('operators', 'operator'),
  }),
  streamOf,
  preview: async ({ roles }, { services, params }) => {
    const { operatorId, name, roles: held } = await operatorIn(params, services);
    if (!addsPermission(held, roles)) return undefined;
    return { facts: { operator: operatorId, name, 'roles now': held, 'roles then': canonicalRoles(roles) } };
  },
};

/** Otherwise one administrator alone could bring back an accomplice whom another one has suspended. */
export const reinstatementApproval: ApprovalRule<object> = {
  when: 'always',
  words: () => ({
    asks: 'Reinstate an operator',
    does: 'The operator has their roles again. Ask the operator who suspended them.',
    about: aboutOne('operators', 'operator'),
  }),
  streamOf,
  preview: async (_input, { services, params }) => {
    const { operatorId, name, roles, state } = await operatorIn(params, services);
    if (state !== 'suspended') return undefined;
    await requireUnusedName(services.store, name, operatorId);
    return { facts: { operator: operatorId, name, state, roles } };
  },
};

/** With fewer than two administrators one confirms alone, and whom they confirm counts only after a time. */
export const confirmationApproval: ApprovalRule<unknown> = {
  when: 'with two administrators',
  words: () => ({
    asks: 'Confirm an operator',
    does: 'The operator counts as a second person: they request, approve and restrict from then on.',
    about: aboutOne('operators', 'operator'),
  }),
  streamOf,
  preview: async (_input, { services, params }) => {
    const { fourEyes } = services;
    const { operatorId, name, roles, state } = await operatorIn(params, services);
    const lacks = await fourEyes.lacksConfirmation(operatorId);
    if (!lacks.byTwo) return undefined;
    if (lacks.byOne && confirmsAlone((await fourEyes.established()).administrators)) return undefined;
    return { facts: { operator: operatorId, name, state, roles } };
  },
};

async function operatorIn(params: Readonly<Record<string, string>>, { store }: ActServices) {
  const [found] = await operatorsOf(store, idIn(params));
  if (!found) throw new HttpRefusal('not_found', 'There is no such operator.');
  return found;
}
