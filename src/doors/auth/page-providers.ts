import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Clock } from '../../base/support/clock.js';
import { IdGenerator } from '../../base/support/id-generator.js';
import { AddressLinks } from '../../commands/account/address-links.js';
import { Addresses } from '../../commands/account/addresses.js';
import { OperatorLinks } from '../../commands/account/operator-links.js';
import { RecoveryLinks } from '../../commands/account/recovery-links.js';
import { MailRequests } from '../../commands/mail/mail-requests.js';
import { HandleDigest } from '../../commands/support/handle-digest.js';
import { NetworkCipher } from '../../commands/support/network-cipher.js';
import { Config } from '../../base/config/config.js';
import { LOGGER } from '../../base/config/logger.js';
import { EventLog } from '../../log/event-log.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { Postgres } from '../../base/store/postgres.js';
import { PositionListener } from '../../base/store/position-listener.js';
import { LogKeys } from '../../log/vault/log-keys.js';
import { NetworkSecrets } from '../../log/vault/network-secrets.js';
import { PersonsReads } from '../api/admission/persons-reads.js';
import { PublishedStatements } from '../api/admission/published-statements.js';
import { RestrictionProof } from '../api/admission/restriction-proof.js';
import { AccountErasure } from './account/account-erasure.js';
import { AccountPages } from './account/account.pages.js';
import { AddressPages } from './account/address.pages.js';
import { AppealPages } from './account/appeal.pages.js';
import { Appeals } from './account/appeals.js';
import { ConnectedApplications } from './account/connected-applications.js';
import { Histories } from './account/histories.js';
import { OwnCases } from './account/own-cases.js';
import { PasswordChange } from './account/password-change.js';
import { AuthorizationServer } from './authorization-server.js';
import { DataFiles } from './own-data/data-files.js';
import { DownloadSlots } from './own-data/download-slots.js';
import { Downloads } from './own-data/downloads.js';
import { OwnFacts } from './own-data/own-facts.js';
import { Confirmation } from './passkeys/confirmation.js';
import { PasskeyPages } from './passkeys/passkey.pages.js';
import { PersonPasskeys } from './passkeys/person-passkeys.js';
import { Passwords } from './passwords.js';
import { RecoveryPages } from './recovery/recovery.pages.js';
import { AuthSettings } from './settings.js';
import { AppealAccess } from './sign-in/appeal-access.js';
import { BrowserSessions } from './sign-in/browser-sessions.js';
import { CsrfProtection } from './sign-in/csrf-protection.js';
import { InteractionPages } from './sign-in/interaction.pages.js';
import { FormerNames } from './storage/former-names.js';
import { KnownBrowsers } from './storage/known-browsers.js';
import { LocalSignIn } from './sign-in/local.strategy.js';
import { PageCookies } from './storage/page-cookies.js';
import { PasskeyCheck } from './sign-in/passkey-check.js';
import { PasswordCheck } from './sign-in/password-check.js';
import { PasswordProofs } from './sign-in/password-proofs.js';
import { SecondStep } from './sign-in/second-step.js';
import { SignInLimits } from './sign-in/sign-in-limits.js';
import { SignUp } from './sign-in/sign-up.js';
import { WrongPasswords } from './storage/wrong-passwords.js';

export const pageProviders: readonly FactoryProvider[] = [
  pageProvider(PageCookies, AuthorizationServer, AuthSettings, IdGenerator, Clock),
  pageProvider(KnownBrowsers, PageCookies, AuthorityStore, IdGenerator, Clock),
  pageProvider(WrongPasswords, AuthorityStore, Clock, LOGGER),
  pageProvider(
    BrowserSessions,
    CommandBus,
    AuthorizationServer,
    PageCookies,
    AuthorityStore,
    KnownBrowsers,
    Clock,
  ),
  pageProvider(PasswordCheck, LocalSignIn, SignInLimits, KnownBrowsers, WrongPasswords),
  pageProvider(PersonPasskeys, AuthSettings, AuthorityStore, Clock, IdGenerator, NetworkSecrets),
  pageProvider(PasskeyCheck, PersonPasskeys, SignInLimits),
  pageProvider(Confirmation, AuthorityStore, Passwords, PersonPasskeys, SignInLimits),
  pageProvider(PasswordProofs, AuthorityStore, Clock),
  pageProvider(
    SecondStep,
    CommandBus,
    PageCookies,
    CsrfProtection,
    PasswordProofs,
    PersonPasskeys,
    SignInLimits,
  ),
  pageProvider(
    PasskeyPages,
    CommandBus,
    PageCookies,
    CsrfProtection,
    BrowserSessions,
    AuthorityStore,
    Confirmation,
    PersonPasskeys,
    SignInLimits,
    IdGenerator,
  ),
  pageProvider(FormerNames, AuthorityStore, Clock),
  pageProvider(
    SignUp,
    CommandBus,
    AuthorityStore,
    HandleDigest,
    Passwords,
    SignInLimits,
    MailRequests,
    Config,
  ),
  pageProvider(
    InteractionPages,
    AuthorizationServer,
    CommandBus,
    CsrfProtection,
    BrowserSessions,
    PasswordCheck,
    SignUp,
    SignInLimits,
    FormerNames,
    OperatorLinks,
    PasskeyCheck,
    SecondStep,
  ),
  pageProvider(ConnectedApplications, AuthorityStore, Clock),
  pageProvider(PasswordChange, CommandBus, AuthorityStore, Passwords, SignInLimits, BrowserSessions),
  pageProvider(AccountErasure, CommandBus, Confirmation, Config),
  pageProvider(AppealAccess, PageCookies, PasswordProofs),
  pageProvider(Appeals, CommandBus),
  pageProvider(OwnCases, Postgres, EventLog),
  pageProvider(PersonsReads, PublishedStatements, RestrictionProof),
  pageProvider(OwnFacts, Postgres, EventLog, PersonsReads),
  pageProvider(Histories, OwnFacts, NetworkCipher),
  pageProvider(DownloadSlots, Postgres),
  pageProvider(DataFiles, AuthorityStore, EventLog, PositionListener, OwnFacts, LogKeys, LOGGER),
  pageProvider(Downloads, CommandBus, Confirmation, DownloadSlots, DataFiles),
  pageProvider(
    AppealPages,
    PageCookies,
    CsrfProtection,
    AppealAccess,
    Appeals,
    OwnCases,
    Downloads,
    CommandBus,
    OperatorLinks,
    Confirmation,
  ),
  pageProvider(
    AddressPages,
    CommandBus,
    PageCookies,
    CsrfProtection,
    BrowserSessions,
    Confirmation,
    SignInLimits,
    AddressLinks,
    MailRequests,
    Config,
  ),
  pageProvider(
    RecoveryPages,
    CommandBus,
    PageCookies,
    CsrfProtection,
    BrowserSessions,
    AppealAccess,
    SecondStep,
    Passwords,
    SignInLimits,
    RecoveryLinks,
    OperatorLinks,
    MailRequests,
    Config,
    Clock,
  ),
  pageProvider(
    AccountPages,
    CommandBus,
    PageCookies,
    CsrfProtection,
    BrowserSessions,
    PasswordCheck,
    SignUp,
    ConnectedApplications,
    PasswordChange,
    AccountErasure,
    AppealAccess,
    Appeals,
    OwnCases,
    WrongPasswords,
    Addresses,
    Config,
    Histories,
    Downloads,
    OperatorLinks,
    PasskeyCheck,
    SecondStep,
    Confirmation,
  ),
];

type Tokens<Parts extends readonly unknown[]> = {
  readonly [Index in keyof Parts]: InjectionToken<Parts[Index]>;
};

function pageProvider<Parts extends unknown[]>(
  type: new (...parts: Parts) => object,
  ...inject: Tokens<Parts>
): FactoryProvider {
  return { provide: type, useFactory: (...parts: Parts) => new type(...parts), inject: [...inject] };
}
