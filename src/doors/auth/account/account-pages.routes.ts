import type { PageRoute } from '../sign-in/page-routes.js';
import { ACCOUNT_PATH, APPEAL_PATH } from '../settings.js';
import { actions } from './account.pages.js';
import type { AccountPages } from './account.pages.js';
import type { AppealPages } from './appeal.pages.js';

export function accountPageRoutes(pages: AccountPages, appeals: AppealPages): PageRoute[] {
  return [
    { path: '', get: (exchange) => pages.show(exchange) },
    { path: relativePath(actions.signIn), post: (exchange, fields) => pages.submitSignIn(exchange, fields) },
    {
      path: relativePath(actions.signUp),
      get: (exchange) => pages.showSignUp(exchange),
      post: (exchange, fields) => pages.submitSignUp(exchange, fields),
    },
    {
      path: relativePath(actions.signOut),
      post: (exchange, fields) => pages.submitSignOut(exchange, fields),
    },
    {
      path: relativePath(actions.signOutEverywhere),
      post: (exchange, fields) => pages.submitSignOutEverywhere(exchange, fields),
    },
    {
      path: relativePath(actions.disconnect),
      post: (exchange, fields) => pages.submitDisconnect(exchange, fields),
    },
    {
      path: relativePath(actions.password),
      post: (exchange, fields) => pages.submitPassword(exchange, fields),
    },
    { path: relativePath(actions.erase), post: (exchange, fields) => pages.submitErasure(exchange, fields) },
    {
      path: relativePath(actions.appeal),
      post: (exchange, fields) => pages.submitAppeal(exchange, fields),
    },
    {
      path: relativePath(APPEAL_PATH),
      get: (exchange) => appeals.show(exchange),
      post: (exchange, fields) => appeals.submit(exchange, fields),
    },
    {
      path: `${relativePath(APPEAL_PATH)}/sign-out`,
      post: (exchange, fields) => appeals.submitSignOut(exchange, fields),
    },
    { path: relativePath(actions.keep), post: (exchange, fields) => pages.submitKeep(exchange, fields) },
  ];
}

const relativePath = (address: string) => address.slice(ACCOUNT_PATH.length);
