import { z } from 'zod';
import {
  RegisterApplication,
  ReinstateApplication,
  RotateClientSecret,
  SuspendApplication,
} from '../../commands/application/applications.js';
import { RevokeGrants } from '../../commands/grant/revoke-grants.js';
import { act, Answer } from '../desk/act.js';
import { applicationsOf, listedApplication } from '../desk/applications.js';
import {
  idIn,
  lifecycleChange,
  lifecycleChanged,
  listOf,
  newApplication,
  secretRotation,
} from '../desk/schemas.js';
import { applicationsPage } from './pages/applications.page.js';

const one = '/operator/applications/:id' as const;

const registered = z.strictObject({ clientId: z.string(), clientSecret: z.string() });

export const applicationActs = [
  act({
    name: 'application.list',
    may: 'applications.read',
    route: 'GET /operator/applications',
    command: 'app list',
    answer: listOf(listedApplication),
    page: applicationsPage,
    run: (_input, { services: { store, clock } }) => applicationsOf(store, clock.now()),
  }),
  act({
    name: 'application.register',
    may: 'applications.manage',
    route: 'POST /operator/applications',
    command: 'app register',
    reason: 'optional',
    input: newApplication,
    answer: registered,
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
    input: lifecycleChange,
    answer: lifecycleChanged,
    form: true,
    run: ({ revision: lifecycle }, { services, params, metadata }) =>
      services.commands.execute(new SuspendApplication(idIn(params), metadata, { lifecycle })),
  }),
  act({
    name: 'application.reinstate',
    may: 'applications.restrict',
    route: `POST ${one}/reinstate`,
    command: 'app reinstate',
    reason: 'optional',
    input: lifecycleChange,
    answer: lifecycleChanged,
    form: true,
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
    answer: registered.extend({ previousUntil: z.number() }),
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
    answer: z.strictObject({ revoked: z.number() }),
    form: true,
    run: (_input, { services, params, metadata }) =>
      services.commands.execute(new RevokeGrants({ cause: 'operator', appId: idIn(params) }, metadata)),
  }),
];
