import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { RefusedCredentials } from '../../server/limits/refused-credentials.js';
import { AccountPages } from './account/account.pages.js';
import { AddressPages } from './account/address.pages.js';
import { AppealPages } from './account/appeal.pages.js';
import { accountPageRoutes } from './account/account-pages.routes.js';
import { AuthorizationServer } from './authorization-server.js';
import { rejectWhenUnavailable } from './availability-gate.js';
import type { UnavailableReasonOf } from './availability-gate.js';
import { mountProtocolRoutes } from './protocol.routes.js';
import { PasskeyPages } from './passkeys/passkey.pages.js';
import { RecoveryPages } from './recovery/recovery.pages.js';
import { ACCOUNT_PATH, AuthSettings, INTERACTION_PATH } from './settings.js';
import { InteractionPages } from './sign-in/interaction.pages.js';
import { SignInLimits } from './sign-in/sign-in-limits.js';
import { interactionRoutes } from './sign-in/interaction.routes.js';
import { pageRoutes } from './sign-in/page-routes.js';

/** Registers the routes of the authorization server and its pages. Call once, before `listen`. */
export function mountAuthorizationServer(
  app: NestFastifyApplication,
  unavailableReason: UnavailableReasonOf,
): void {
  const settings = app.get(AuthSettings);
  const authorization = app.get(AuthorizationServer);
  const interactions = interactionRoutes(app.get(InteractionPages));
  const account = accountPageRoutes({
    pages: app.get(AccountPages),
    addresses: app.get(AddressPages),
    appeals: app.get(AppealPages),
    recovery: app.get(RecoveryPages),
    passkeys: app.get(PasskeyPages),
  });
  const server = app.getHttpAdapter().getInstance();
  const contact = settings.operatorContact;
  void server.register((gated, _options, done) => {
    rejectWhenUnavailable(gated, unavailableReason);
    void gated.register((instance, _none, registered) => {
      mountProtocolRoutes(
        instance,
        authorization,
        app.get(SignInLimits),
        app.get(RefusedCredentials),
        settings,
      );
      registered();
    });
    void gated.register(pageRoutes(interactions, contact), { prefix: INTERACTION_PATH });
    void gated.register(pageRoutes(account, contact), { prefix: ACCOUNT_PATH });
    done();
  });
}
