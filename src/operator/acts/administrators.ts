import { normalizedName } from '../../domain/name.js';
import { requireUnusedName } from '../../commands/operator/operator-names.js';
import { canonicalRoles } from '../../domain/operator/roles.js';
import type { Role } from '../../domain/operator/roles.js';
import { Refusal } from '../../domain/refusal.js';
import { HttpRefusal } from '../../http/server/errors.js';
import { streams } from '../../log/streams.js';
import type { ApprovalRule } from './act.js';
import { operatorsOf } from './operators.js';
import { idIn } from './schemas.js';
import type { ActServices } from './services.js';

interface Chosen {
  readonly roles: readonly Role[];
}

const makesAdministrator = ({ roles }: Chosen): boolean => roles.includes('administrator');

const WHEN = 'of an administrator';

export const invitationApproval: ApprovalRule<Chosen & { readonly name: string }> = {
  when: WHEN,
  covers: makesAdministrator,
  isEmergency: true,
  streamOf: (_params, approvalId) => streams.operator(approvalId),
  preview: async ({ name, roles }, { services }) => {
    const invited = normalizedName(name, 'The name');
    if (invited instanceof Refusal) throw invited;
    await requireUnusedName(services.store, invited);
    return { facts: { name: invited, roles: canonicalRoles(roles) } };
  },
};

export const promotionApproval: ApprovalRule<Chosen> = {
  when: 'to administrator',
  streamOf: (params) => streams.operator(idIn(params)),
  covers: makesAdministrator,
  preview: async ({ roles }, { services, params }) => {
    const { operatorId, name, roles: held } = await operatorIn(params, services);
    if (held.includes('administrator')) return undefined;
    return { facts: { operator: operatorId, name, 'roles now': held, 'roles then': canonicalRoles(roles) } };
  },
};

/** Otherwise one administrator alone could bring back an accomplice whom another one has suspended. */
export const reinstatementApproval: ApprovalRule<object> = {
  when: WHEN,
  streamOf: (params) => streams.operator(idIn(params)),
  preview: async (_input, { services, params }) => {
    const { operatorId, name, roles, state } = await operatorIn(params, services);
    if (state !== 'suspended' || !roles.includes('administrator')) return undefined;
    await requireUnusedName(services.store, name, operatorId);
    return { facts: { operator: operatorId, name, state, roles } };
  },
};

async function operatorIn(params: Readonly<Record<string, string>>, { store }: ActServices) {
  const [found] = await operatorsOf(store, idIn(params));
  if (!found) throw new HttpRefusal('not_found', 'There is no such operator.');
  return found;
}
