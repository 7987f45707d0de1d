import { findInvitation } from '../../commands/operator/invitations.js';
import { HttpRefusal } from '../../http/server/errors.js';
import type { Act } from '../acts/act.js';
import { ownIdOf } from '../acts/caller.js';
import { operatorsOf } from '../acts/operators.js';
import type { SignedIn } from '../acts/passkey.acts.js';
import { actTable } from '../acts/table.js';
import { frameOf, goTo, perform, sendPage } from './answer.js';
import { sendAsset } from './assets.js';
import { holderOf } from './form.js';
import { ownPage } from './pages/own.page.js';
import { enrollmentPage, signInPage } from './pages/sign-in.page.js';
import type { Answering, Exchange } from './visit.js';

const HOME = '/console/own';

/** The ways in and out, by the name of their row in the table of acts. */
export const entrances: Readonly<Record<string, Answering>> = {
  'console.open': async (exchange) => goTo(exchange, HOME),
  'console.asset': async ({ reply, params }) => sendAsset(reply, params['file'] ?? ''),
  'console.ask_sign_in': async (exchange) => {
    const { services, visit } = exchange;
    const options = await services.passkeys.requestOptions(holderOf(visit.secret));
    return sendPage(
      exchange,
      signInPage(await frameOf(exchange), options, pathIn(queryOf(exchange).get('to'))),
    );
  },
  'operator.sign_in': async (exchange) => {
    const { form, visit } = exchange;
    const input = { credential: form.text('credential') ?? '', holder: holderOf(visit.secret) };
    await begin(exchange, (await perform(exchange, rowOf('operator.sign_in'), input)) as SignedIn);
    return goTo(exchange, pathIn(form.text('to')));
  },
  'console.ask_enrollment': async (exchange) => {
    const { services, visit } = exchange;
    const code = queryOf(exchange).get('code') ?? '';
    const { operatorId, name } = await findInvitation(services.store, code, services.clock.now());
    const options = await services.passkeys.creationOptions(holderOf(visit.secret), { operatorId, name });
    return sendPage(exchange, enrollmentPage(await frameOf(exchange), { name, code, options }));
  },
  'operator.enroll_with_passkey': async (exchange) => {
    const { form, visit } = exchange;
    const input = {
      invitationCode: form.text('invitationCode') ?? '',
      label: form.text('label') ?? '',
      credential: form.text('credential') ?? '',
      holder: holderOf(visit.secret),
    };
    await begin(
      exchange,
      (await perform(exchange, rowOf('operator.enroll_with_passkey'), input)) as SignedIn,
    );
    return goTo(exchange, HOME);
  },
  'own.read': async (exchange) => {
    const { services, visit } = exchange;
    const [own] = await operatorsOf(services.store, ownIdOf(visit.caller));
    if (!own) throw new HttpRefusal('not_found', 'There is no such operator.');
    const options = await services.passkeys.creationOptions(holderOf(visit.secret), own);
    return sendPage(exchange, ownPage(await frameOf(exchange), own, options));
  },
  'own.sign_out': async (exchange) => {
    const { sessions, visit, cookies, reply } = exchange;
    await sessions.end(visit.secret);
    void reply.header('set-cookie', cookies.clear(cookies.session));
    return goTo(exchange, '/console/sign-in');
  },
};

/** A new secret at each sign-in, so that nobody can have planted it. */
async function begin({ sessions, cookies, reply }: Exchange, { at, ...proven }: SignedIn): Promise<void> {
  void reply.header('set-cookie', cookies.set(cookies.session, await sessions.begin(proven, at)));
}

const queryOf = ({ request, services }: Exchange): URLSearchParams =>
  new URL(request.url, services.config.operatorBaseUrl).searchParams;

const pathIn = (to: string | null | undefined): string =>
  /^\/console\/[A-Za-z0-9_/-]{0,200}$/.test(to ?? '') ? (to ?? '/console') : '/console';

function rowOf(name: string): Act {
  const row = actTable.find((each) => each.name === name);
  if (!row) throw new Error(`${name} is not in the table of acts`);
  return row;
}
