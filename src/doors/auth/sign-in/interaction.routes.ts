import type { InteractionPages } from './interaction.pages.js';
import type { PageRoute } from './page-routes.js';

export function interactionRoutes(pages: InteractionPages): PageRoute[] {
  return [
    { path: '/:uid', get: (exchange, uid) => pages.show(exchange, uid) },
    { path: '/:uid/sign-in', post: (...sent) => pages.submitSignIn(...sent) },
    { path: '/:uid/sign-in/passkey', post: (...sent) => pages.submitPasskey(...sent) },
    {
      path: '/:uid/second-step',
      get: (exchange, uid) => pages.showSecondStep(exchange, uid),
      post: (...sent) => pages.submitSecondStep(...sent),
    },
    {
      path: '/:uid/sign-up',
      get: (exchange, uid) => pages.showSignUp(exchange, uid),
      post: (...sent) => pages.submitSignUp(...sent),
    },
    { path: '/:uid/consent', post: (...sent) => pages.submitConsent(...sent) },
    { path: '/:uid/switch', post: (...sent) => pages.switchAccount(...sent) },
  ];
}
