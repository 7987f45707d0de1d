import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AccountPages } from './account/account.pages.js';
import { accountRoutes } from './account/account.routes.js';
import { AuthorizationServer } from './authorization-server.js';
import { protocolRoutes } from './protocol/protocol.routes.js';
import { ACCOUNT_PATH, AuthSettings, INTERACTION_PATH } from './settings.js';
import { InteractionPages } from './sign-in/interaction.pages.js';
import { interactionRoutes } from './sign-in/interaction.routes.js';
import { pageRoutes } from './sign-in/page-routes.js';

/** Puts the authorization server and its pages in front of the application. Call once, before `listen`. */
export function mountAuthorizationServer(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  const settings = app.get(AuthSettings);
  const authorization = app.get(AuthorizationServer);
  void server.register((instance, _options, done) => {
    protocolRoutes(instance, authorization, settings.baseUrl);
    done();
  });
  const interactions = interactionRoutes(app.get(InteractionPages));
  void server.register(pageRoutes(interactions), { prefix: INTERACTION_PATH });
  void server.register(pageRoutes(accountRoutes(app.get(AccountPages))), { prefix: ACCOUNT_PATH });
}
