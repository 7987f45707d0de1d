import { z } from 'zod';
import {
  EnrollWithPasskey,
  RegisterPasskey,
  RemovePasskey,
} from '../../commands/operator/operator-passkeys.js';
import { SignInOperator, SignOutOperator } from '../../commands/operator/operator-sign-ins.js';
import type { ProvenPasskey } from '../desk/identity/passkeys.js';
import { act, Answer } from '../desk/act.js';
import type { ActContext } from '../desk/act.js';
import { ownIdOf } from '../desk/caller.js';
import type { FormFields } from '../desk/page.js';
import { enrollmentLink } from './enrollment-link.js';
import { changed, idIn } from '../desk/schemas.js';

/** `credential`: answer of the browser, as JSON. `holder`: see `Passkeys`; the server sets it. */
const passkeyAnswer = z.strictObject({ credential: z.string(), holder: z.string() });
const newPasskey = passkeyAnswer.extend({ label: z.string() });

const registered = z.strictObject({ operatorId: z.string(), passkeyId: z.string() });
/** `at`: Unix milliseconds. */
const signedIn = registered.extend({ at: z.number() });

/** By the secret of the browser's cookie, so that an answer of another browser is refused. */
const byHolder = { input: (_form: FormFields, holder: string) => ({ holder }) };

export const enrollWithPasskey = act({
  name: 'operator.enroll_with_passkey',
  may: 'invitation',
  route: 'POST /console/enrollments',
  input: newPasskey.extend({ invitationCode: z.string() }),
  answer: signedIn,
  run: async ({ holder, credential, label, invitationCode }, { services, metadata }) => {
    const verified = await services.passkeys.verifyCreation(holder, credential, label);
    const linkedId = await services.passkeyLinks.take(invitationCode);
    const registration =
      linkedId === undefined
        ? new EnrollWithPasskey(invitationCode, verified, metadata)
        : new RegisterPasskey(linkedId, verified, { ...metadata, operatorId: linkedId });
    const enrolled = await services.commands.execute(registration);
    return signIn(enrolled, { services, metadata });
  },
});

export const signInWithPasskey = act({
  name: 'operator.sign_in',
  may: 'anyone',
  route: 'POST /console/sign-in',
  input: passkeyAnswer,
  answer: signedIn,
  run: async ({ holder, credential }, { services, metadata }) => {
    const proven = await services.passkeys.verifyRequest(holder, credential);
    return signIn(proven, { services, metadata });
  },
});

/** Acts below `/console` need a browser, so they have neither JSON nor command. */
export const passkeyActs = [
  enrollWithPasskey,
  signInWithPasskey,
  act({
    name: 'own.register_passkey',
    may: 'self',
    route: 'POST /console/own/passkeys',
    input: newPasskey,
    answer: registered,
    form: byHolder,
    run: async ({ holder, credential, label }, { services, caller, metadata }) => {
      const verified = await services.passkeys.verifyCreation(holder, credential, label);
      return services.commands.execute(new RegisterPasskey(ownIdOf(caller), verified, metadata));
    },
  }),
  act({
    name: 'own.link_passkey',
    may: 'self',
    route: 'POST /operator/own/passkey-links',
    command: 'operator passkey add',
    input: z.strictObject({}),
    answer: z.strictObject({ link: z.string(), expiresAt: z.number() }),
    duplicates: 'link',
    run: async (_input, { services, caller }) => {
      const { code, expiresAt } = await services.passkeyLinks.issue(ownIdOf(caller));
      return new Answer(201, { link: enrollmentLink(services.config, code), expiresAt });
    },
  }),
  act({
    name: 'own.remove_passkey',
    may: 'self',
    route: 'POST /operator/own/passkeys/:passkeyId/remove',
    command: 'operator passkey remove PASSKEY',
    reason: 'optional',
    answer: changed,
    form: true,
    run: (_input, { services, caller, params, metadata }) =>
      services.commands.execute(new RemovePasskey(ownIdOf(caller), idIn(params, 'passkeyId'), metadata)),
  }),
  act({
    name: 'operator.remove_passkey',
    may: 'operators.manage',
    endsOperator: true,
    route: 'POST /operator/operators/:id/passkeys/:passkeyId/remove',
    command: 'operator passkey remove PASSKEY --of OPERATOR',
    reason: 'required',
    answer: changed,
    form: true,
    run: (_input, { services, params, metadata }) =>
      services.commands.execute(new RemovePasskey(idIn(params), idIn(params, 'passkeyId'), metadata)),
  }),
  act({
    name: 'own.sign_out_everywhere',
    may: 'self',
    route: 'POST /operator/own/sign-out',
    command: 'operator sign-out',
    reason: 'optional',
    answer: z.strictObject({ at: z.number() }),
    form: { to: () => '/console/sign-in' },
    run: async (_input, { services, caller, metadata }) => {
      const signedOut = await services.commands.execute(new SignOutOperator(ownIdOf(caller), metadata));
      await services.passkeyLinks.withdraw(ownIdOf(caller));
      return signedOut;
    },
  }),
];

async function signIn(
  proven: ProvenPasskey,
  { services, metadata }: Pick<ActContext, 'services' | 'metadata'>,
): Promise<z.infer<typeof signedIn>> {
  const { operatorId, passkeyId } = proven;
  const { at } = await services.commands.execute(new SignInOperator(operatorId, passkeyId, metadata));
  return { operatorId, passkeyId, at };
}
