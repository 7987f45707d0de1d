import {
  RegisterApplication,
  ReinstateApplication,
  RotateClientSecret,
  SuspendApplication,
} from '../../commands/application/applications.js';
import { RevokeGrants } from '../../commands/grant/revoke-grants.js';
import { act, Answer } from '../desk/act.js';
import { applicationsOf } from '../desk/applications.js';
import { idIn, lifecycleChange, newApplication, secretRotation } from '../desk/schemas.js';

const one = '/operator/applications/:id' as const;

export const applicationActs = [
  act({
    name: 'application.list',
    may: 'applications.read',
    route: 'GET /operator/applications',
    command: 'app list',
    inConsole: true,
    run: (_input, { services: { store, clock } }) => applicationsOf(store, clock.now()),
  }),
  act({
    name: 'application.register',
    may: 'applications.manage',
    route: 'POST /operator/applications',
    command: 'app register',
    reason: 'optional',
    input: newApplication,
    duplicates: 'application with another secret',
    run: async ({ name, redirectUris, postLogoutRedirectUris, scopes }, { services, metadata }) => {
      const application = { name, redirectUris, postLogoutRedirectUris, scopes };
      return new Answer(201, await services.commands.execute(new RegisterApplication(application, metadata)));
    },
  }),
  act({
    name: 'application.suspend',
    may: 'applications.restrict',
    route: `POST ${one}/suspend`,
    command: 'app suspend',
    reason: 'optional',
    inConsole: true,
    input: lifecycleChange,
    run: ({ revision: lifecycle }, { services, params, metadata }) =>
      services.commands.execute(new SuspendApplication(idIn(params), metadata, { lifecycle })),
  }),
  act({
    name: 'application.reinstate',
    may: 'applications.restrict',
    route: `POST ${one}/reinstate`,
    command: 'app reinstate',
    reason: 'optional',
    inConsole: true,
    input: lifecycleChange,
    run: ({ revision: lifecycle }, { services, params, metadata }) =>
      services.commands.execute(new ReinstateApplication(idIn(params), metadata, { lifecycle })),
  }),
  act({
    name: 'application.rotate_secret',
    may: 'applications.manage',
    route: `POST ${one}/rotate-secret`,
    command: 'app rotate-secret',
    reason: 'optional',
    input: secretRotation,
    duplicates: 'secret',
    run: ({ overlapMs }, { services, params, metadata }) =>
      services.commands.execute(new RotateClientSecret(idIn(params), overlapMs, metadata)),
  }),
  act({
    name: 'application.revoke_grants',
    may: 'applications.restrict',
    route: `POST ${one}/revoke-grants`,
    command: 'app revoke-grants',
    reason: 'optional',
    inConsole: true,
    run: (_input, { services, params, metadata }) =>
      services.commands.execute(new RevokeGrants({ cause: 'operator', appId: idIn(params) }, metadata)),
  }),
];
