import { findInvitation } from '../../../commands/operator/invitations.js';
import { HttpRefusal } from '../../../server/errors.js';
import { markActive } from '../../cases/case.acts.js';
import { ownIdOf } from '../../desk/caller.js';
import type { ProvenPasskey } from '../../desk/identity/passkeys.js';
import { operatorsOf } from '../../desk/operators.js';
import { enrollWithPasskey, signInWithPasskey } from '../../operators/passkey.acts.js';
import { frameOf, goTo, perform, sendPage } from '../../console/answer.js';
import { sendAsset } from '../../console/assets.js';
import { holderOf } from '../../console/form.js';
import { ownPage } from '../../operators/pages/own.page.js';
import { enrollmentPage, signInPage } from '../../operators/pages/sign-in.page.js';
import { openNext } from './kept-filters.js';
import { streamPlots } from './plot-stream.js';
import type { Answering, Exchange } from '../../console/visit.js';

const HOME = '/console/overview';

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
    await begin(exchange, await perform(exchange, signInWithPasskey, input));
    return goTo(exchange, pathIn(form.text('to')));
  },
  'console.ask_enrollment': async (exchange) => {
    const { services, visit } = exchange;
    const code = queryOf(exchange).get('code') ?? '';
    const linked = await services.passkeyLinks.find(code);
    const { operatorId, name } = linked ?? (await findInvitation(services.store, code, services.clock.now()));
    const options = await services.passkeys.creationOptions(holderOf(visit.secret), { operatorId, name });
    const invited = { name, code, options, isNew: !linked };
    return sendPage(exchange, enrollmentPage(await frameOf(exchange), invited));
  },
  'operator.enroll_with_passkey': async (exchange) => {
    const { form, visit } = exchange;
    const input = {
      invitationCode: form.text('invitationCode') ?? '',
      label: form.text('label') ?? '',
      credential: form.text('credential') ?? '',
      holder: holderOf(visit.secret),
    };
    await begin(exchange, await perform(exchange, enrollWithPasskey, input));
    return goTo(exchange, HOME);
  },
  'console.follow_plots': async (exchange) => streamPlots(exchange),
  'own.read': async (exchange) => {
    const { services, visit } = exchange;
    const [own] = await operatorsOf(services.store, ownIdOf(visit.caller));
    if (!own) throw new HttpRefusal('not_found', 'There is no such operator.');
    const options = await services.passkeys.creationOptions(holderOf(visit.secret), own);
    return sendPage(exchange, ownPage(await frameOf(exchange), own, options));
  },
  'case.next': (exchange) => openNext(exchange),
  // For the script of the page, which shows nothing of it.
  'case.active': async (exchange) => {
    await perform(exchange, markActive, undefined);
    return exchange.reply.status(204).send();
  },
  'own.sign_out': async (exchange) => {
    const { sessions, visit, cookies, reply } = exchange;
    await sessions.end(visit.secret);
    void reply.header(
      'set-cookie',
      [cookies.session, cookies.filters].map((name) => cookies.clear(name)),
    );
    return goTo(exchange, '/console/sign-in');
  },
};

/** A new secret at each sign-in, so that nobody can have planted it. */
async function begin(
  { sessions, cookies, reply }: Exchange,
  { at, ...proven }: ProvenPasskey & { readonly at: number },
): Promise<void> {
  // The filters in this browser may be another operator's.
  void reply.header('set-cookie', [
    cookies.set(cookies.session, await sessions.begin(proven, at)),
    cookies.clear(cookies.filters),
  ]);
}

const queryOf = ({ request, services }: Exchange): URLSearchParams =>
  new URL(request.url, services.config.operatorBaseUrl).searchParams;

const pathIn = (to: string | null | undefined): string =>
  /^\/console\/[A-Za-z0-9_/-]{0,200}(\?[\w%&=+*.:~-]{0,2000})?$/.test(to ?? '')
    ? (to ?? '/console')
    : '/console';
