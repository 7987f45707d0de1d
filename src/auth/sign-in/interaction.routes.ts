import type { InteractionPages } from './interaction.pages.js';
import type { PageRoute } from './page-routes.js';

/** The sign-in, sign-up and consent pages of an interaction, below `INTERACTION_PATH`. */
export function interactionRoutes(pages: InteractionPages): PageRoute[] {
  return [
    { path: '/:uid', get: (exchange, uid) => pages.show(exchange, uid) },
    { path: '/:uid/sign-in', post: (...sent) => pages.submitSignIn(...sent) },
    {
      path: '/:uid/sign-up',
      get: (exchange, uid) => pages.showSignUp(exchange, uid),
      post: (...sent) => pages.submitSignUp(...sent),
    },
    { path: '/:uid/consent', post: (...sent) => pages.submitConsent(...sent) },
    { path: '/:uid/switch', post: (...sent) => pages.switchAccount(...sent) },
  ];
}
