import type { PageRoute } from '../sign-in/page-routes.js';
import { ACCOUNT_PATH, APPEAL_PATH } from '../settings.js';
import { actions } from './account.pages.js';
import type { AccountPages } from './account.pages.js';
import { addressActions } from './address.pages.js';
import type { AddressPages } from './address.pages.js';
import type { AppealPages } from './appeal.pages.js';
import { passkeyActions } from '../passkeys/passkey.pages.js';
import type { PasskeyPages } from '../passkeys/passkey.pages.js';
import { recoveryActions } from '../recovery/recovery.pages.js';
import type { RecoveryPages } from '../recovery/recovery.pages.js';

export interface PagesOfAccount {
  readonly pages: AccountPages;
  readonly addresses: AddressPages;
  readonly appeals: AppealPages;
  readonly recovery: RecoveryPages;
  readonly passkeys: PasskeyPages;
}

export function accountPageRoutes({
  pages,
  addresses,
  appeals,
  recovery,
  passkeys,
}: PagesOfAccount): PageRoute[] {
  return [
    { path: '', get: (exchange) => pages.show(exchange) },
    { path: relativePath(actions.signIn), post: (exchange, fields) => pages.submitSignIn(exchange, fields) },
    {
      path: relativePath(actions.passkey),
      post: (exchange, fields) => pages.submitPasskey(exchange, fields),
    },
    {
      path: relativePath(actions.secondStep),
      get: (exchange) => pages.showSecondStep(exchange),
      post: (exchange, fields) => pages.submitSecondStep(exchange, fields),
    },
    { path: relativePath(passkeyActions.list), get: (exchange) => passkeys.show(exchange) },
    {
      path: relativePath(passkeyActions.change),
      get: (exchange) => passkeys.showChange(exchange),
      post: (exchange, fields) => passkeys.submitChange(exchange, fields),
    },
    {
      path: relativePath(passkeyActions.create),
      post: (exchange, fields) => passkeys.submitNew(exchange, fields),
    },
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
    {
      path: relativePath(addressActions.change),
      get: (exchange) => addresses.show(exchange),
      post: (exchange, fields) => addresses.submit(exchange, fields),
    },
    {
      path: relativePath(addressActions.verify),
      post: (exchange, fields) => addresses.submitVerify(exchange, fields),
    },
    {
      path: relativePath(addressActions.confirm),
      get: (exchange) => addresses.showConfirm(exchange),
      post: (exchange, fields) => addresses.submitConfirm(exchange, fields),
    },
    {
      path: relativePath(recoveryActions.ask),
      get: (exchange) => recovery.show(exchange),
      post: (exchange, fields) => recovery.submit(exchange, fields),
    },
    { path: relativePath(recoveryActions.link), get: (exchange) => recovery.open(exchange) },
    {
      path: relativePath(recoveryActions.password),
      get: (exchange) => recovery.showPassword(exchange),
      post: (exchange, fields) => recovery.submitPassword(exchange, fields),
    },
    {
      path: relativePath(recoveryActions.end),
      get: (exchange) => recovery.showEnd(exchange),
      post: (exchange, fields) => recovery.submitEnd(exchange, fields),
    },
    {
      path: relativePath(actions.endLink),
      post: (exchange, fields) => pages.submitEndLink(exchange, fields),
    },
    {
      path: `${relativePath(APPEAL_PATH)}/recovery-link`,
      post: (exchange, fields) => appeals.submitEndLink(exchange, fields),
    },
    { path: relativePath(actions.history), get: (exchange) => pages.showHistory(exchange) },
    { path: relativePath(actions.data), post: (exchange, fields) => pages.submitData(exchange, fields) },
    {
      path: `${relativePath(APPEAL_PATH)}/data`,
      post: (exchange, fields) => appeals.submitData(exchange, fields),
    },
    { path: relativePath(actions.keep), post: (exchange, fields) => pages.submitKeep(exchange, fields) },
  ];
}

const relativePath = (address: string) => address.slice(ACCOUNT_PATH.length);
