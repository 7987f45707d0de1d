import type { PageRoute } from '../sign-in/page-routes.js';
import { ACCOUNT_PATH } from '../settings.js';
import { actions } from './account.pages.js';
import type { AccountPages } from './account.pages.js';

/** The account page and what its forms do, below `ACCOUNT_PATH`. */
export function accountRoutes(pages: AccountPages): PageRoute[] {
  return [
    { path: '', get: (exchange) => pages.show(exchange) },
    { path: below(actions.signIn), post: (exchange, fields) => pages.submitSignIn(exchange, fields) },
    {
      path: below(actions.signUp),
      get: (exchange) => pages.showSignUp(exchange),
      post: (exchange, fields) => pages.submitSignUp(exchange, fields),
    },
    { path: below(actions.signOut), post: (exchange, fields) => pages.submitSignOut(exchange, fields) },
    {
      path: below(actions.signOutEverywhere),
      post: (exchange, fields) => pages.submitSignOutEverywhere(exchange, fields),
    },
    { path: below(actions.disconnect), post: (exchange, fields) => pages.submitDisconnect(exchange, fields) },
    { path: below(actions.password), post: (exchange, fields) => pages.submitPassword(exchange, fields) },
    { path: below(actions.erase), post: (exchange, fields) => pages.submitErasure(exchange, fields) },
    { path: below(actions.keep), post: (exchange, fields) => pages.submitKeep(exchange, fields) },
  ];
}

const below = (address: string) => address.slice(ACCOUNT_PATH.length);
