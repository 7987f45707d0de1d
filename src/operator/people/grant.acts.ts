import { RevokeGrant } from '../../commands/grant/grants.js';
import { act } from '../desk/act.js';
import { changed, idIn } from '../desk/schemas.js';

export const grantActs = [
  act({
    name: 'grant.revoke',
    may: 'applications.restrict',
    route: 'POST /operator/grants/:id/revoke',
    command: 'grant revoke',
    reason: 'optional',
    answer: changed,
    form: true,
    run: (_input, { services, params, metadata }) => {
      const grantId = idIn(params);
      return services.commands.execute(
        new RevokeGrant(grantId, { cause: 'operator' }, { ...metadata, grantId }),
      );
    },
  }),
];
