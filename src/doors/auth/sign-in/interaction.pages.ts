import { createHash } from 'node:crypto';
import type { CommandBus } from '@nestjs/cqrs';
import type { Provider } from 'oidc-provider';
import { IssueGrant } from '../../../commands/grant/grants.js';
import { isHandle } from '../../../domain/account/account.js';
import { isScope } from '../../../domain/grant/scopes.js';
import { passkeys as script } from '../../../base/pages/passkey-script.js';
import type { AuthorizationServer } from '../authorization-server.js';
import type { OperatorLinks } from '../../../commands/account/operator-links.js';
import { consentPage } from '../pages/consent.page.js';
import { signInPage } from '../pages/sign-in.page.js';
import { signUpPage } from '../pages/sign-up.page.js';
import { Fault } from '../rules/faults.js';
import { routes } from '../rules/routes.js';
import { ACCOUNT_PATH, AUTH_PREFIX, INTERACTION_PATH, RECOVERY_PATH } from '../settings.js';
import type { BrowserSessions } from './browser-sessions.js';
import { pageRequestMetadata } from '../storage/exchange.js';
import type { HttpExchange, FormFields, PageOrRedirect } from '../storage/exchange.js';
import type { FormerNames } from '../storage/former-names.js';
import type { CsrfProtection } from './csrf-protection.js';
import { enforceLimit } from './password-check.js';
import type { PasswordCheck } from './password-check.js';
import type { SignInLimits } from './sign-in-limits.js';
import { WRONG_PASSKEY } from './passkey-check.js';
import type { PasskeyCheck } from './passkey-check.js';
import type { SecondStep } from './second-step.js';
import { amrOf, normalizeHandle, requireActive, WRONG_PASSWORD } from './sign-in.js';
import type { VerifiedAccount } from './sign-in.js';
import type { SignUp, SignUpFaults } from './sign-up.js';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

export class InteractionPages {
  constructor(
    private readonly authorization: AuthorizationServer,
    private readonly commands: CommandBus,
    private readonly csrf: CsrfProtection,
    private readonly sessions: BrowserSessions,
    private readonly passwords: PasswordCheck,
    private readonly signUps: SignUp,
    private readonly limits: SignInLimits,
    private readonly formerNames: FormerNames,
    private readonly operatorLinks: OperatorLinks,
    private readonly passkeys: PasskeyCheck,
    private readonly secondStep: SecondStep,
  ) {}

  async show(exchange: HttpExchange, uid: string): Promise<PageOrRedirect> {
    await this.enforceAuthorizationLimit(exchange);
    const interaction = await this.interaction(exchange, uid);
    if (interaction.prompt.name !== 'login') return this.consent(exchange, interaction);
    const { login_hint: hint } = interaction.params;
    const expected = typeof hint === 'string' ? normalizeHandle(hint) : '';
    return this.signIn(interaction, isHandle(expected) ? expected : '');
  }

  async showSignUp(exchange: HttpExchange, uid: string): Promise<PageOrRedirect> {
    await this.signUps.requireOpen();
    await this.enforceAuthorizationLimit(exchange);
    const interaction = await this.interaction(exchange, uid);
    if (interaction.prompt.name !== 'login') return { location: addressOf(uid) };
    return this.signUp(interaction, this.csrf.field(holderOf(uid)), {}, { faults: {} });
  }

  async submitSignIn(exchange: HttpExchange, fields: FormFields, uid: string): Promise<PageOrRedirect> {
    this.csrf.check(holderOf(uid), exchange.request.headers, fields);
    const interaction = await this.interaction(exchange, uid);
    if (interaction.prompt.name !== 'login') return { location: addressOf(uid) };
    const account = await this.passwords.authenticate(exchange, fields);
    if (!account) return this.signIn(interaction, fields['handle'] ?? '', WRONG_PASSWORD);
    if (!account.needsSecondStep) return this.enter(exchange, interaction, account);
    this.secondStep.begin(exchange, account);
    return { location: secondStepAt(uid).action };
  }

  async submitPasskey(exchange: HttpExchange, fields: FormFields, uid: string): Promise<PageOrRedirect> {
    this.csrf.check(holderOf(uid), exchange.request.headers, fields);
    const interaction = await this.interaction(exchange, uid);
    if (interaction.prompt.name !== 'login') return { location: addressOf(uid) };
    const account = await this.passkeys.recognize(exchange, holderOf(uid), fields);
    if (!account) return this.signIn(interaction, '', WRONG_PASSKEY);
    requireActive(account);
    return this.enter(exchange, interaction, account);
  }

  async showSecondStep(exchange: HttpExchange, uid: string): Promise<PageOrRedirect> {
    await this.enforceAuthorizationLimit(exchange);
    return this.askSecondStep(exchange, await this.interaction(exchange, uid));
  }

  async submitSecondStep(exchange: HttpExchange, fields: FormFields, uid: string): Promise<PageOrRedirect> {
    const interaction = await this.interaction(exchange, uid);
    if (interaction.prompt.name !== 'login') return { location: addressOf(uid) };
    const outcome = await this.secondStep.check(exchange, fields);
    if ('ended' in outcome) return { location: addressOf(uid) };
    if ('problem' in outcome) return this.askSecondStep(exchange, interaction, outcome.problem);
    requireActive(outcome.account);
    return this.enter(exchange, interaction, outcome.account);
  }

  private async askSecondStep(
    exchange: HttpExchange,
    interaction: Interaction,
    problem?: string,
  ): Promise<PageOrRedirect> {
    const { origin } = await this.application(interaction);
    return {
      ...(await this.secondStep.show(exchange, secondStepAt(interaction.uid), problem)),
      formTarget: origin,
    };
  }

  async submitSignUp(exchange: HttpExchange, fields: FormFields, uid: string): Promise<PageOrRedirect> {
    const secret = this.csrf.check(holderOf(uid), exchange.request.headers, fields);
    const interaction = await this.interaction(exchange, uid);
    if (interaction.prompt.name !== 'login') return { location: addressOf(uid) };
    const { appId } = requestedGrant(interaction);
    const registered = await this.signUps.register(exchange, fields, secret, appId);
    if ('faults' in registered) return this.signUp(interaction, fields['form'] ?? '', fields, registered);
    return this.enter(exchange, interaction, registered);
  }

  async submitConsent(exchange: HttpExchange, fields: FormFields, uid: string): Promise<PageOrRedirect> {
    this.csrf.check(holderOf(uid), exchange.request.headers, fields);
    const interaction = await this.interaction(exchange, uid);
    if (interaction.prompt.name !== 'consent') return { location: addressOf(uid) };
    const { actorId } = await this.consenting(exchange, interaction);
    const { provider } = this.authorization;
    const finish = async (result: Parameters<Provider['interactionResult']>[2]): Promise<PageOrRedirect> => ({
      location: await provider.interactionResult(exchange.request, exchange.response, result),
    });
    const { decision } = fields;
    if (decision === 'deny')
      return finish({ error: 'access_denied', error_description: 'The person denied access.' });
    if (decision !== 'allow') throw new Fault(400, 'invalid_request', 'Choose to allow or to deny.');
    await this.clientOf(interaction);
    const { appId, scopes } = requestedGrant(interaction);
    // The grant's id derives from the interaction's: a repeated form creates no second grant.
    const grantId = createHash('sha256').update(`grant:${uid}`).digest('base64url').slice(0, 22);
    const metadata = pageRequestMetadata(exchange, { actorId, appId, grantId });
    await this.commands.execute(new IssueGrant(grantId, appId, actorId, scopes, metadata));
    return finish({ consent: { grantId } });
  }

  async switchAccount(exchange: HttpExchange, fields: FormFields, uid: string): Promise<PageOrRedirect> {
    this.csrf.check(holderOf(uid), exchange.request.headers, fields);
    const interaction = await this.interaction(exchange, uid);
    const request = new URLSearchParams(interaction.params as Record<string, string>);
    await interaction.destroy();
    await this.sessions.end(exchange);
    return { location: `${AUTH_PREFIX}${routes.authorization}?${request.toString()}` };
  }

  /**
   * Counts the request against the limit of its address: any link leads to these pages, without a form. @throws {Fault}
   * `pilot_rate_limited`
   */
  private async enforceAuthorizationLimit(exchange: HttpExchange): Promise<void> {
    enforceLimit(exchange, await this.limits.takeAuthorization(exchange.address));
  }

  /** @throws {errors.SessionNotFound} the browser has no such interaction, or it has expired. */
  private async interaction({ request, response }: HttpExchange, uid: string): Promise<Interaction> {
    const interaction = await this.authorization.provider.interactionDetails(request, response);
    if (interaction.uid !== uid)
      throw new Fault(
        400,
        'invalid_request',
        'Another sign-in was started in this browser. Continue with that one.',
      );
    return interaction;
  }

  /**
   * Signs in at once and binds the interaction to that session. The library would first end another person's session by
   * a page with a script.
   */
  private async enter(
    exchange: HttpExchange,
    interaction: Interaction,
    person: VerifiedAccount,
  ): Promise<PageOrRedirect> {
    const { actorId } = person;
    const { appId } = requestedGrant(interaction);
    const { uid, jti, loginTs } = await this.sessions.signIn(exchange, person, appId);
    interaction.session = { accountId: actorId, uid, cookie: jti };
    const login = { accountId: actorId, amr: amrOf(person), ...(loginTs !== undefined && { ts: loginTs }) };
    interaction.result = { ...interaction.lastSubmission, login };
    await interaction.persist();
    return { location: interaction.returnTo };
  }

  private async signIn(interaction: Interaction, handle: string, problem?: string): Promise<PageOrRedirect> {
    const { name, origin } = await this.application(interaction);
    const { uid, prompt } = interaction;
    const options = await this.passkeys.options(holderOf(uid));
    const page = signInPage({
      action: `${addressOf(uid)}/sign-in`,
      passkey: { action: `${addressOf(uid)}/sign-in/passkey`, options },
      form: this.csrf.field(holderOf(uid)),
      signUp: (await this.signUps.isOpen()) ? `${addressOf(uid)}/sign-up` : undefined,
      contact: this.signUps.contact,
      recovery: RECOVERY_PATH,
      applicationName: name,
      handle,
      notice: prompt.reasons.includes('id_token_hint')
        ? 'The application asks for the account that you used with it before.'
        : undefined,
      problem,
    });
    const status = problem === undefined ? 200 : 400;
    return { page, status, formTarget: origin, script: options && script };
  }

  private async signUp(
    interaction: Interaction,
    form: string,
    typed: FormFields,
    { faults, problem }: SignUpFaults,
  ): Promise<PageOrRedirect> {
    const { name, origin } = await this.application(interaction);
    const address = addressOf(interaction.uid);
    const page = signUpPage({
      action: `${address}/sign-up`,
      form,
      signIn: address,
      applicationName: name,
      typed,
      faults,
      problem,
      contact: this.signUps.contact,
    });
    const isFirst = problem === undefined && Object.keys(faults).length === 0;
    return { page, status: isFirst ? 200 : 400, formTarget: origin };
  }

  private async consent(exchange: HttpExchange, interaction: Interaction): Promise<PageOrRedirect> {
    const { name, origin } = await this.application(interaction);
    const { displayName, handle, actorId } = await this.consenting(exchange, interaction);
    const { appId, scopes } = requestedGrant(interaction);
    const address = addressOf(interaction.uid);
    const page = consentPage({
      action: `${address}/consent`,
      switchAction: `${address}/switch`,
      account: ACCOUNT_PATH,
      form: this.csrf.field(holderOf(interaction.uid)),
      applicationName: name,
      formerNames: await this.formerNames.of(appId),
      applicationHost: new URL(origin).host,
      person: { displayName, handle: handle ?? '' },
      scopes,
      openLink: await this.operatorLinks.openOf(actorId),
    });
    return { page, status: 200, formTarget: origin };
  }

  private async consenting(exchange: HttpExchange, { session }: Interaction) {
    const signedIn = await this.sessions.find(exchange);
    if (!session || signedIn?.account.actorId !== session.accountId || signedIn.uid !== session.uid)
      throw new Fault(403, 'login_required', 'You are no longer signed in to the account that started this.');
    return signedIn.account;
  }

  private async application(interaction: Interaction): Promise<{ name: string; origin: string }> {
    const client = await this.clientOf(interaction);
    if (!client) throw new Fault(400, 'invalid_client', 'The application is no longer registered.');
    const { origin } = new URL(String(interaction.params['redirect_uri']));
    return { name: client.clientName ?? client.clientId, origin };
  }

  /**
   * Returns the application as it is now; undefined: it is suspended.
   * @throws {Fault} an operator has changed it, so that it may no longer make this request.
   */
  private async clientOf(interaction: Interaction) {
    const { appId, scopes } = requestedGrant(interaction);
    const client = await this.authorization.provider.Client.find(appId);
    if (!client) return undefined;
    if (!client.redirectUriAllowed(String(interaction.params['redirect_uri'])))
      throw new Fault(
        400,
        'invalid_redirect_uri',
        'The application no longer has the address of this request.',
      );
    const allowed = client.scope?.split(' ') ?? [];
    if (scopes.some((scope) => isScope(scope) && !allowed.includes(scope)))
      throw new Fault(400, 'invalid_scope', 'The application may no longer request what it asks for.');
    return client;
  }
}

function addressOf(uid: string): string {
  return `${INTERACTION_PATH}/${uid}`;
}

const secondStepAt = (uid: string) => ({ action: `${addressOf(uid)}/second-step`, back: addressOf(uid) });

function holderOf(uid: string): string {
  return `interaction:${uid}`;
}

function requestedGrant({ params }: Interaction): { appId: string; scopes: string[] } {
  return { appId: String(params['client_id']), scopes: String(params['scope']).split(' ') };
}
