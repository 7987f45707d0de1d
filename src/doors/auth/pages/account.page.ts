import type { FormerName } from '../../../domain/application/change.js';
import { PASSWORD_MIN_CODE_POINTS } from '../passwords.js';
import { hiddenField, html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { pageLayout } from '../../../base/pages/layout.js';
import { passkeys } from '../../../base/pages/passkey-script.js';
import type { WrongPasswordDay } from '../storage/wrong-passwords.js';
import { decisionsCard, reportsCard } from './own-cases.js';
import type { AppealFault, OwnCasesView } from './own-cases.js';
import { openLinkCard, pastLinksCard } from './operator-links.js';
import type { OperatorLinksView } from './operator-links.js';
import { downloadCard, historyCard } from './own-data.js';
import type { History } from './own-data.js';
import { confirmation, formerNameLines, personCard, scopeList, textField } from './parts.js';
import type { PasskeyOptions, Person } from './parts.js';
import { passkeysCard } from './passkeys.page.js';
import type { PasskeysSummary } from './passkeys.page.js';

export interface ConnectedApplication {
  readonly appId: string;
  readonly name: string;
  readonly formerNames: readonly FormerName[];
  readonly hosts: readonly string[];
  readonly scopes: readonly string[];
  readonly isSuspended: boolean;
  /**
   * When the oldest usable grant of the application was issued, in Unix milliseconds. `lastUsed`: the last use of any.
   */
  readonly since: number;
  readonly lastUsed: number;
}

export interface AccountPage {
  readonly actions: Readonly<
    Record<
      | 'disconnect'
      | 'password'
      | 'signOut'
      | 'signOutEverywhere'
      | 'erase'
      | 'keep'
      | 'appeal'
      | 'data'
      | 'endLink',
      string
    >
  >;
  readonly form: string;
  readonly person: Person & { readonly email: string; readonly registeredAt: number };
  readonly address: {
    readonly isVerified: boolean;
    readonly change: string;
    readonly sendsMail: boolean;
    /** Undefined: no mail can be sent to the address. */
    readonly verify: string | undefined;
  };
  readonly applications: readonly ConnectedApplication[];
  /** Days with wrong passwords at sign-in, the newest first. */
  readonly wrongPasswords: readonly WrongPasswordDay[];
  readonly passwordFaults: Readonly<Partial<Record<PasswordField, string>>>;
  /** When the account will be erased, in Unix milliseconds; null without a planned erasure. */
  readonly erasesAt: number | null;
  readonly erasureDays: number;
  /** Hour in UTC in which bytes of erased data are removed from large tables. */
  readonly largeTablesAt: number | 'off';
  readonly erasureFault: string | undefined;
  readonly cases: OwnCasesView;
  readonly appealFault: AppealFault | undefined;
  readonly history: History;
  readonly dataFault: string | undefined;
  readonly links: OperatorLinksView;
  readonly notice: string | undefined;
  /** To confirm by a passkey what the page asks the password for. */
  readonly options: PasskeyOptions;
  readonly passkeys: PasskeysSummary;
}

export type PasswordField = 'current' | 'new';

export function accountPage(page: AccountPage): string {
  const signOut = html`<form method="post" action="${page.actions.signOut}">
    ${hiddenField('form', page.form)}
    <button class="slim" type="submit">Sign out</button>
  </form>`;
  const links = { ...page.links, action: page.actions.endLink, form: page.form };
  return pageLayout(
    'Your account',
    html`${page.notice && html`<p class="notice" role="status">${page.notice}</p>`}
      <h1 class="unseen">Your account</h1>
      ${openLinkCard(links)} ${pending(page)} ${identity(page)} ${decisions(page)}
      ${reportsCard(page.cases.reports)} ${applications(page)} ${historyCard(page.history)} ${password(page)}
      ${passkeysCard(page.passkeys)} ${pastLinksCard(links)} ${wrongPasswords(page)} ${sessions(page)}
      ${download(page)} ${erasure(page)}`,
    { corner: signOut, wide: true, script: page.options && passkeys },
  );
}

const decisions = ({ cases, actions, form, appealFault: fault }: AccountPage) =>
  decisionsCard(cases.decisions, { action: actions.appeal, form, fault });

const download = ({ actions, form, person, dataFault: fault, options }: AccountPage) =>
  downloadCard({ action: actions.data, form, handle: person.handle, fault, options });

function identity({ person, address, form }: AccountPage): Html {
  return html`<section class="card" aria-label="Who you are">
    ${personCard(person)}
    <dl class="facts">
      <div>
        <dt>E-mail</dt>
        <dd>
          ${person.email} (${address.isVerified ? 'confirmed' : 'not confirmed'},
          <a href="${address.change}">change</a>)
        </dd>
      </div>
      <div>
        <dt>Here since</dt>
        <dd>${timeElement(person.registeredAt)}</dd>
      </div>
    </dl>
    ${address.isVerified ? undefined : unconfirmed(form, address)}
  </section>`;
}

function unconfirmed(form: string, { sendsMail, verify }: AccountPage['address']): Html {
  if (!sendsMail)
    return html`<p class="quiet">This network sends no mail, so no address can be confirmed.</p>`;
  if (verify === undefined)
    return html`<p class="quiet">No mail can be sent to this address, so it cannot be confirmed.</p>`;
  return html`<form method="post" action="${verify}" class="aside">
    ${hiddenField('form', form)}
    <p>
      Is this your address? Confirm it, and a forgotten password is no loss: a mail to it opens your account.
      Until then the address opens nothing.
    </p>
    <button class="slim" type="submit">Send me a link to confirm it</button>
  </form>`;
}

function applications(page: AccountPage): Html {
  return html`<section class="card" aria-labelledby="applications">
    <h2 id="applications">Applications with access</h2>
    ${
      page.applications.length === 0
        ? html`<p class="quiet">None. When you allow an application to act for you, it is listed here.</p>`
        : html`<p class="quiet">
              They can do this for you until their access expires or you disconnect them.
            </p>
            <ul class="applications">
              ${page.applications.map((each) => application(each, page))}
            </ul>`
    }
  </section>`;
}

function application(each: ConnectedApplication, { actions, form }: AccountPage): Html {
  const { appId, name, formerNames, hosts, scopes, isSuspended, since, lastUsed } = each;
  return html`<li>
    <div class="between">
      <div>
        <h3>
          <bdi>${name}</bdi
          >${isSuspended ? html` <span class="badge">Suspended by the network</span>` : undefined}
        </h3>
        <p class="small quiet">${hosts.join(', ')}</p>
        ${formerNameLines(formerNames)}
      </div>
      <form method="post" action="${actions.disconnect}">
        ${hiddenField('form', form)} ${hiddenField('application', appId)}
        <button class="slim" type="submit">Disconnect<span class="unseen"> ${name}</span></button>
      </form>
    </div>
    ${scopeList(scopes)}
    <dl class="facts">
      <div>
        <dt>Connected</dt>
        <dd>${timeElement(since)}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>${timeElement(lastUsed)}</dd>
      </div>
    </dl>
  </li>`;
}

function password({ actions, form, person, passwordFaults: faults }: AccountPage): Html {
  const faulty = faults.current === undefined ? 'new' : 'current';
  const field = (name: PasswordField) => ({
    name,
    type: 'password' as const,
    fault: faults[name],
    first: faults[name] !== undefined && name === faulty,
  });
  return html`<section class="card" aria-labelledby="password">
    <h2 id="password">Change your password</h2>
    <p class="quiet">You stay signed in here, and are signed out in every other browser.</p>
    <form method="post" action="${actions.password}">
      ${hiddenField('form', form)}
      <input hidden name="username" value="${person.handle}" autocomplete="username" />
      <div class="fields">
        ${textField({ ...field('current'), label: 'Current password', autocomplete: 'current-password' })}
        ${textField({
          ...field('new'),
          label: 'New password',
          autocomplete: 'new-password',
          hint: `At least ${PASSWORD_MIN_CODE_POINTS} characters.`,
        })}
        <button class="main" type="submit">Change password</button>
      </div>
    </form>
  </section>`;
}

const dayWords = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

function wrongPasswords({ wrongPasswords: days }: AccountPage): Html | undefined {
  if (days.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="wrong-passwords">
    <h2 id="wrong-passwords">Wrong passwords</h2>
    <p class="quiet">
      Somebody typed a wrong password to sign in as you, on these of the last 30 days (UTC). Tries that were
      refused unread, after too many others, are not counted.
    </p>
    <p class="quiet">
      If it was not you, there is nothing to do while your password is a good one. In browsers in which you
      have signed in, nobody else can use up your tries. A new browser may have to wait meanwhile.
    </p>
    <dl class="facts">
      ${days.map(
        ({ day, tries }) =>
          html`<div>
            <dt><time datetime="${day}">${dayWords.format(Date.parse(day))}</time></dt>
            <dd>${tries === 1 ? 'once' : `${tries} times`}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
}

function sessions({ actions, form, applications: connected }: AccountPage): Html {
  return html`<section class="card" aria-labelledby="everywhere">
    <h2 id="everywhere">Sign out everywhere</h2>
    <p class="quiet">
      This signs you out in every browser, including this one. Applications stay connected and can still act
      for you, unless you disconnect them.
    </p>
    <form method="post" action="${actions.signOutEverywhere}">
      ${hiddenField('form', form)}
      ${
        connected.length === 0
          ? undefined
          : html`<p class="choice">
              <input type="checkbox" id="disconnect" name="disconnect" value="all" />
              <label for="disconnect">Also disconnect every application</label>
            </p>`
      }
      <button type="submit">Sign out everywhere</button>
    </form>
  </section>`;
}

/**
 * Card with the planned deletion and a way to cancel it. First on the page, since the person who signs in may not have
 * requested the deletion.
 */
function pending({ actions, form, erasesAt }: AccountPage): Html | undefined {
  if (erasesAt === null) return undefined;
  return html`<section class="card" aria-labelledby="pending">
    <h2 id="pending">Your account will be deleted</h2>
    <p>On ${timeElement(erasesAt)}, for good. Until then nothing changes, and you can still keep it.</p>
    <form method="post" action="${actions.keep}">
      ${hiddenField('form', form)}
      <button class="main" type="submit">Keep my account</button>
    </form>
  </section>`;
}

const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00 UTC`;

function erasure({
  actions,
  form,
  person,
  erasesAt,
  erasureDays,
  largeTablesAt,
  erasureFault,
  options,
}: AccountPage): Html | undefined {
  if (erasesAt !== null) return undefined;
  return html`<section class="card" aria-labelledby="erasure">
    <h2 id="erasure">Delete your account</h2>
    <p>
      <strong>When:</strong> ${String(erasureDays)} days after your request. Until then nothing changes, and
      you can sign in and keep your account.
    </p>
    <p>
      <strong>Deleted for good:</strong> your profile, your posts and replies, your likes, follows and blocks,
      your texts in reports and appeals, and what operators wrote about you. Every application loses access,
      and others can take your handle.
    </p>
    <p>
      <strong>Kept:</strong> the texts of others, including replies to you, and a record without your name
      that somebody did something at some time.
    </p>
    <p class="quiet">
      Your texts are stored encrypted with a key of your own, which is destroyed on that day. The files of the
      database lose what they still hold of key, name and texts within fifteen minutes; those of large tables
      ${largeTablesAt === 'off' ? 'when the operator of this network rebuilds them' : `in the hour after the next ${hourText(largeTablesAt)}`}.
      A backup or a rebuild that is unfinished then delays this until it ends. Copies in old backups can be
      read only with an old copy of the key, until the operator of this network deletes that copy, too.
    </p>
    <form method="post" action="${actions.erase}">
      ${hiddenField('form', form)}
      ${confirmation({
        name: 'confirm',
        label: 'Your password',
        handle: person.handle,
        fault: erasureFault,
        options,
        buttons: html`<button type="submit">Delete my account</button>`,
        byPasskey: 'Delete it with a passkey',
      })}
    </form>
  </section>`;
}
