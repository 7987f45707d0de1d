import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CommandBus } from '@nestjs/cqrs';
import type { InteractionResults, Provider } from 'oidc-provider';
import type { Ids } from '../../commands/ambient.js';
import { IssueGrant } from '../../commands/issue-grant.js';
import { AccountRow } from '../../store/authority/account.row.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import type { AuthorizationServer } from '../authorization-server.js';
import { consentPage } from '../pages/consent.page.js';
import { signInPage } from '../pages/sign-in.page.js';
import { Fault } from '../protocol/faults.js';
import { AUTH_PREFIX } from '../settings.js';
import type { FormGuard } from './form-guard.js';
import type { LocalSignIn } from './local.strategy.js';

/** A page to show, or an address to go on at. */
export type Step =
  | { readonly page: string; readonly status: number; readonly formTarget: string }
  | { readonly location: string };

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** The request, by which the library knows the browser's interaction. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** From the address. */
  readonly uid: string;
}

/** What a browser is led through between an authorization request and its answer: sign-in, then consent. */
export class InteractionPages {
  constructor(
    private readonly authorization: AuthorizationServer,
    private readonly store: AuthorityStore,
    private readonly commands: CommandBus,
    private readonly ids: Ids,
    private readonly guard: FormGuard,
    private readonly local: LocalSignIn,
  ) {}

  /** The page that the interaction waits at. */
  async show(exchange: Exchange): Promise<Step> {
    const interaction = await this.interaction(exchange);
    return interaction.prompt.name === 'login' ? this.signIn(interaction, '') : this.consent(interaction);
  }

  /** Fields `handle`, `password`. */
  async submitSignIn(exchange: Exchange, body: Readonly<Record<string, string>>): Promise<Step> {
    const interaction = await this.interaction(exchange);
    if (interaction.prompt.name !== 'login') return { location: addressOf(interaction.uid) };
    const account = await this.local.authenticate(body);
    if (!account)
      return this.signIn(
        interaction,
        body['handle'] ?? '',
        'That handle and password do not belong together.',
      );
    return this.finish(exchange, { login: { accountId: account.actorId, amr: ['pwd'] } });
  }

  /** Field `decision`: `allow` or `deny`. */
  async submitConsent(exchange: Exchange, body: Readonly<Record<string, string>>): Promise<Step> {
    const interaction = await this.interaction(exchange);
    if (interaction.prompt.name !== 'consent') return { location: addressOf(interaction.uid) };
    const { decision } = body;
    if (decision === 'deny')
      return this.finish(exchange, { error: 'access_denied', error_description: 'The person refused.' });
    if (decision !== 'allow') throw new Fault(400, 'invalid_request', 'Choose to allow or to deny.');
    const { appId, actorId, scopes } = askedFor(interaction);
    // One consent is one grant, however often the form is sent: the identity derives from the interaction's.
    const grantId = createHash('sha256').update(`grant:${interaction.uid}`).digest('base64url').slice(0, 22);
    const metadata = { requestId: this.ids.uuid(), actorId, appId, grantId };
    await this.commands.execute(new IssueGrant(grantId, appId, actorId, scopes, metadata));
    return this.finish(exchange, { consent: { grantId } });
  }

  /** @throws the library's `SessionNotFound` where the browser has no such interaction (any more). */
  private async interaction({ request, response, uid }: Exchange): Promise<Interaction> {
    const interaction = await this.authorization.provider.interactionDetails(request, response);
    if (interaction.uid !== uid)
      throw new Fault(400, 'invalid_request', 'Another sign-in was started in this browser.');
    return interaction;
  }

  private async finish({ request, response }: Exchange, result: InteractionResults): Promise<Step> {
    return { location: await this.authorization.provider.interactionResult(request, response, result) };
  }

  private async signIn(interaction: Interaction, handle: string, problem?: string): Promise<Step> {
    const { name, origin } = await this.application(interaction);
    const { uid } = interaction;
    const page = signInPage({
      action: `${addressOf(uid)}/sign-in`,
      form: this.guard.field(uid),
      applicationName: name,
      handle,
      ...(problem === undefined ? {} : { problem }),
    });
    return { page, status: problem === undefined ? 200 : 400, formTarget: origin };
  }

  private async consent(interaction: Interaction): Promise<Step> {
    const { name, origin } = await this.application(interaction);
    const { actorId, scopes } = askedFor(interaction);
    const account = await this.store.db.findOneBy(AccountRow, { actorId, state: 'active' });
    if (!account) throw new Fault(403, 'social_authority_required', 'This account can no longer act.');
    const { uid } = interaction;
    const page = consentPage({
      action: `${addressOf(uid)}/consent`,
      form: this.guard.field(uid),
      applicationName: name,
      applicationHost: new URL(origin).host,
      displayName: account.displayName,
      handle: account.handle ?? '',
      scopes,
    });
    return { page, status: 200, formTarget: origin };
  }

  private async application({ params }: Interaction): Promise<{ name: string; origin: string }> {
    const client = await this.authorization.provider.Client.find(String(params['client_id']));
    if (!client) throw new Fault(400, 'invalid_client', 'The application is not registered any more.');
    return {
      name: client.clientName ?? client.clientId,
      origin: new URL(String(params['redirect_uri'])).origin,
    };
  }
}

function addressOf(uid: string): string {
  return `${AUTH_PREFIX}/interaction/${uid}`;
}

function askedFor({ params, session }: Interaction) {
  if (session === undefined) throw new Fault(400, 'login_required', 'Sign in first.');
  return {
    appId: String(params['client_id']),
    actorId: session.accountId,
    scopes: String(params['scope']).split(' '),
  };
}
