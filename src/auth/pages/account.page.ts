import { PASSWORD_MIN } from '../passwords.js';
import { html } from '../../pages/html.js';
import type { Html } from '../../pages/html.js';
import { layout } from '../../pages/layout.js';
import { hiddenField, instant, personCard, scopeList, textField } from './parts.js';
import type { Person } from './parts.js';

/** An application with access, as its person sees it: all its grants together. */
export interface ConnectedApplication {
  readonly appId: string;
  readonly name: string;
  readonly hosts: readonly string[];
  readonly scopes: readonly string[];
  readonly isSuspended: boolean;
  /** Unix milliseconds. */
  readonly since: number;
  /** Unix milliseconds. */
  readonly lastUsed: number;
}

export interface AccountPage {
  /** Addresses that the forms are sent to. */
  readonly actions: Readonly<
    Record<'disconnect' | 'password' | 'signOut' | 'signOutEverywhere' | 'erase' | 'keep', string>
  >;
  /** Anti-forgery field (see form-guard.ts). */
  readonly form: string;
  readonly person: Person & { readonly email: string; readonly registeredAt: number };
  readonly applications: readonly ConnectedApplication[];
  readonly passwordFaults: Readonly<Partial<Record<PasswordField, string>>>;
  /** When the account is to be deleted, Unix milliseconds; null: that is not asked for. */
  readonly erasesAt: number | null;
  /** How long after it is asked for: days. */
  readonly erasureDays: number;
  readonly erasureFault: string | undefined;
  /** What was just done. */
  readonly notice: string | undefined;
}

export type PasswordField = 'current' | 'new';

export function accountPage(page: AccountPage): string {
  const signOut = html`<form method="post" action="${page.actions.signOut}">
    ${hiddenField('form', page.form)}
    <button class="slim" type="submit">Sign out</button>
  </form>`;
  return layout(
    'Your account',
    html`${page.notice && html`<p class="notice" role="status">${page.notice}</p>`}
      <h1 class="unseen">Your account</h1>
      ${pending(page)} ${identity(page)} ${applications(page)} ${password(page)} ${sessions(page)}
      ${erasure(page)}`,
    { corner: signOut, wide: true },
  );
}

function identity({ person }: AccountPage): Html {
  return html`<section class="card" aria-label="Who you are">
    ${personCard(person)}
    <dl class="facts">
      <div>
        <dt>E-mail</dt>
        <dd>${person.email}</dd>
      </div>
      <div>
        <dt>Here since</dt>
        <dd>${instant(person.registeredAt)}</dd>
      </div>
    </dl>
  </section>`;
}

function applications(page: AccountPage): Html {
  return html`<section class="card" aria-labelledby="applications">
    <h2 id="applications">Applications with access</h2>
    ${
      page.applications.length === 0
        ? html`<p class="quiet">None. When you allow an application to act for you, it is listed here.</p>`
        : html`<p class="quiet">They can do this for you until their time is over, or you disconnect them.</p>
            <ul class="applications">
              ${page.applications.map((each) => application(each, page))}
            </ul>`
    }
  </section>`;
}

function application(each: ConnectedApplication, { actions, form }: AccountPage): Html {
  const { appId, name, hosts, scopes, isSuspended, since, lastUsed } = each;
  return html`<li>
    <div class="between">
      <div>
        <h3>
          <bdi>${name}</bdi
          >${isSuspended ? html` <span class="badge">Suspended by the network</span>` : undefined}
        </h3>
        <p class="small quiet">${hosts.join(', ')}</p>
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
        <dd>${instant(since)}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>${instant(lastUsed)}</dd>
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
          hint: `At least ${PASSWORD_MIN} characters.`,
        })}
        <button class="main" type="submit">Change password</button>
      </div>
    </form>
  </section>`;
}

function sessions({ actions, form, applications: connected }: AccountPage): Html {
  return html`<section class="card" aria-labelledby="everywhere">
    <h2 id="everywhere">Sign out everywhere</h2>
    <p class="quiet">
      This ends your sign-in in every browser, this one too. Applications stay connected, and can go on acting
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

/** Said above all else, since whoever signs in may not have asked for it. */
function pending({ actions, form, erasesAt }: AccountPage): Html | undefined {
  if (erasesAt === null) return undefined;
  return html`<section class="card" aria-labelledby="pending">
    <h2 id="pending">Your account will be deleted</h2>
    <p>On ${instant(erasesAt)}, for good. Until then nothing changes, and you can keep it.</p>
    <form method="post" action="${actions.keep}">
      ${hiddenField('form', form)}
      <button class="main" type="submit">Keep my account</button>
    </form>
  </section>`;
}

function erasure({
  actions,
  form,
  person,
  erasesAt,
  erasureDays,
  erasureFault,
}: AccountPage): Html | undefined {
  if (erasesAt !== null) return undefined;
  return html`<section class="card" aria-labelledby="erasure">
    <h2 id="erasure">Delete your account</h2>
    <p>
      <strong>When:</strong> ${String(erasureDays)} days after you ask for it. Until then nothing changes, and
      you can sign in and keep your account.
    </p>
    <p>
      <strong>What goes, for good:</strong> your profile, your posts and replies, your likes, follows and
      blocks, and what you wrote in reports. Every application loses access, and your handle is free for
      others.
    </p>
    <p>
      <strong>What stays:</strong> what others wrote, also in reply to you, and that somebody without a name
      did something at some time.
    </p>
    <p class="quiet">
      What you wrote is kept sealed, with a key of your own that is destroyed then. The journals of the
      databases lose key and text within ten minutes after that. Copies of it in old backups can only be
      opened with an old copy of that key, until the operator of this network throws that away, too.
    </p>
    <form method="post" action="${actions.erase}">
      ${hiddenField('form', form)}
      <input hidden name="username" value="${person.handle}" autocomplete="username" />
      <div class="fields">
        ${textField({
          name: 'confirm',
          label: 'Your password',
          type: 'password',
          autocomplete: 'current-password',
          fault: erasureFault,
          first: erasureFault !== undefined,
        })}
        <button type="submit">Delete my account</button>
      </div>
    </form>
  </section>`;
}
