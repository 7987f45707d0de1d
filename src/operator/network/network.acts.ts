import { z } from 'zod';
import { PausePublishing, ResumePublishing, RotateSigningKey } from '../../commands/network/network.js';
import { signingKeyShape } from '../../commands/network/signing-keys.js';
import { SetRegistration } from '../../commands/network/set-registration.js';
import { registrationShape, registrationState } from '../../base/store/authority/registration.js';
import { act } from '../desk/act.js';
import { changed, listOf } from '../desk/schemas.js';

export const networkActs = [
  act({
    name: 'publishing.pause',
    may: 'publishing.manage',
    route: 'POST /operator/publishing/pause',
    command: 'publishing pause',
    reason: 'optional',
    answer: changed,
    form: true,
    run: (_input, { services, metadata }) => services.commands.execute(new PausePublishing(metadata)),
  }),
  act({
    name: 'publishing.resume',
    may: 'publishing.manage',
    route: 'POST /operator/publishing/resume',
    command: 'publishing resume',
    reason: 'optional',
    answer: changed,
    form: true,
    run: (_input, { services, metadata }) => services.commands.execute(new ResumePublishing(metadata)),
  }),
  act({
    name: 'registration.status',
    may: 'status.read',
    route: 'GET /operator/registration',
    command: 'registration status',
    answer: registrationShape,
    run: (_input, { services: { store, config } }) => registrationState(store, config),
  }),
  act({
    name: 'registration.open',
    may: 'registration.manage',
    route: 'POST /operator/registration/open',
    command: 'registration open',
    reason: 'optional',
    answer: changed,
    form: true,
    run: (_input, { services, metadata }) => services.commands.execute(new SetRegistration('open', metadata)),
  }),
  act({
    name: 'registration.close',
    may: 'registration.manage',
    route: 'POST /operator/registration/close',
    command: 'registration closed',
    reason: 'optional',
    answer: changed,
    form: true,
    run: (_input, { services, metadata }) =>
      services.commands.execute(new SetRegistration('closed', metadata)),
  }),
  // No answer has a private key.
  act({
    name: 'signing_key.list',
    may: 'status.read',
    route: 'GET /operator/signing-keys',
    command: 'keys list',
    answer: listOf(signingKeyShape),
    run: (_input, { services: { signingKeys, clock } }) => signingKeys.states(clock.now()),
  }),
  act({
    name: 'signing_key.rotate',
    may: 'signing_keys.rotate',
    route: 'POST /operator/signing-keys/rotate',
    command: 'keys rotate',
    reason: 'optional',
    answer: changed.extend({ kid: z.string(), signsFrom: z.number() }),
    run: async (_input, { services, metadata }) => {
      const { keyId: kid, ...rest } = await services.commands.execute(new RotateSigningKey(metadata));
      return { kid, ...rest };
    },
  }),
  // Its own route answers it: scrapers have no token, and no metric holds personal data.
  act({
    name: 'metrics.read',
    may: 'anyone',
    route: 'GET /metrics',
    answer: z.undefined(),
    run: () => Promise.resolve(undefined),
  }),
];
