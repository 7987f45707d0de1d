import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AuthorizationServer } from './authorization-server.js';
import { protocolRoutes } from './protocol/protocol.routes.js';
import { AuthSettings } from './settings.js';
import { FormGuard } from './sign-in/form-guard.js';
import { InteractionPages } from './sign-in/interaction.pages.js';
import { interactionRoutes } from './sign-in/interaction.routes.js';

/** Puts the authorization server and its pages in front of the application. Call once, before `listen`. */
export function mountAuthorizationServer(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  const settings = app.get(AuthSettings);
  const authorization = app.get(AuthorizationServer);
  void server.register((instance, _options, done) => {
    protocolRoutes(instance, authorization, settings.baseUrl);
    done();
  });
  void server.register((instance, _options, done) => {
    interactionRoutes(instance, app.get(InteractionPages), app.get(FormGuard));
    done();
  });
}
