import { MAX_COUNTED } from '../../../../../projections/audit/activity.read-model.js';
import { html, timeElement } from '../../../../base/pages/html.js';
import type { Html } from '../../../../base/pages/html.js';
import { pageHeaders, pageLayout, StyleSheet } from '../../../../base/pages/layout.js';
import { operators } from '../../../../base/pages/operators.js';
import type { WeekNumbers } from './network-numbers.js';
import { landingStyle } from './style.js';

export interface LandingPage {
  readonly baseUrl: string;
  /** True: people create their accounts. Undefined: not known now. */
  readonly isOpen: boolean | undefined;
  /** The way to reach the operators. */
  readonly contact: string | undefined;
  readonly numbers: WeekNumbers | undefined;
}

const sheet = new StyleSheet(landingStyle);

export const landingHeaders = pageHeaders(undefined, sheet);

/**
 * The page at the address of the network, for visitors who know only that. Its links name the base URL: below `/api`, a
 * request under another name of this host is refused.
 */
export function landingPage(page: LandingPage): string {
  const { host } = new URL(page.baseUrl);
  return pageLayout(
    host,
    html`${opening(page, host)}
      <div class="columns">
        ${promise('Your password stays here', 'You sign in on pages of this network. No application ever sees your password.')}
        ${promise('You decide who acts for you', 'Each application asks for what it may do. Your account page shows all of them, and disconnects one at once.')}
        ${promise('You can leave', 'Your texts are encrypted with a key of your own. When you delete your account, that key is destroyed.')}
      </div>
      ${page.numbers && lastDays(page.numbers)}
      <div class="columns">${forDevelopers(page)} ${forEverybody(page)}</div>`,
    { wide: true, sheet },
  );
}

function opening({ baseUrl, isOpen, contact }: LandingPage, host: string): Html {
  const account = `${baseUrl}/api/auth/account`;
  return html`<section class="opening" aria-labelledby="network">
    <div>
      <p class="host">${host}</p>
      <h1 id="network">One account for every application you like</h1>
      <p class="lead">
        This is a social network that you reach through independent applications. Post, reply, follow and like
        with any of them: your name, your people and your posts are the same in all.
      </p>
      <p class="actions">
        ${isOpen ? html`<a class="action main" href="${account}/sign-up">Create an account</a>` : undefined}
        <a class="action ${isOpen ? '' : 'main'}" href="${account}">Sign in to your account</a>
      </p>
      ${isOpen === false ? html`<p>New here? Ask ${operators(contact)} for an account.</p>` : undefined}
    </div>
    ${arcade}
  </section>`;
}

const arcade = html`<svg
  class="arcade"
  viewBox="0 0 200 150"
  fill="none"
  stroke="currentColor"
  aria-hidden="true"
>
  <path
    d="M10 140V70a22.5 22.5 0 0 1 45 0v70M55 140V70a22.5 22.5 0 0 1 45 0v70M100 140V70a22.5 22.5 0 0 1 45 0v70M145 140V70a22.5 22.5 0 0 1 45 0v70"
    stroke-width="5"
  />
  <path d="M2 140h196M2 32h196" stroke-width="5" stroke-linecap="round" />
  <g fill="currentColor" stroke="none">
    <circle cx="32" cy="104" r="6" />
    <path d="M22 137v-14a10 10 0 0 1 20 0v14z" />
    <circle cx="115" cy="106" r="5.5" />
    <path d="M106.5 137v-13a8.5 8.5 0 0 1 17 0v13z" />
    <circle cx="133" cy="110" r="4.5" />
    <path d="M126 137v-11a7 7 0 0 1 14 0v11z" />
  </g>
</svg>`;

const promise = (title: string, text: string): Html =>
  html`<section class="card">
    <h2>${title}</h2>
    <p>${text}</p>
  </section>`;

function lastDays({ at, posts, accounts }: WeekNumbers): Html {
  return html`<section class="card" aria-labelledby="numbers">
    <h2 id="numbers">In the last seven days</h2>
    <dl class="numbers">
      <div>
        <dt>posts and replies</dt>
        <dd>${rounded(posts)}</dd>
      </div>
      <div>
        <dt>new accounts</dt>
        <dd>${rounded(accounts)}</dd>
      </div>
    </dl>
    <p class="small quiet">Counted ${timeElement(at)}</p>
  </section>`;
}

/** Smaller counts would tell what single people do. */
const SMALLEST_SHOWN = 20;

const digits = new Intl.NumberFormat('en');

function rounded(count: number): string {
  if (count < SMALLEST_SHOWN) return `fewer than ${SMALLEST_SHOWN}`;
  return count < MAX_COUNTED ? digits.format(count) : `${digits.format(MAX_COUNTED)} or more`;
}

function forDevelopers({ baseUrl, contact }: LandingPage): Html {
  return html`<section class="card" aria-labelledby="developers">
    <h2 id="developers">Build an application</h2>
    <p>
      Sign-in is OAuth 2.0 and OpenID Connect, retries are safe, and each error has a published code. To
      register an application, ask ${operators(contact)}.
    </p>
    <ul class="links">
      <li><a href="${baseUrl}/docs/guide">Guide to your first application</a></li>
      <li><a href="${baseUrl}/docs">API reference</a></li>
      <li><a href="${baseUrl}/api/openapi.json">The API as OpenAPI 3.1</a></li>
      <li><a href="${baseUrl}/api/auth/.well-known/openid-configuration">OpenID Connect discovery</a></li>
    </ul>
  </section>`;
}

function forEverybody({ baseUrl, contact }: LandingPage): Html {
  return html`<section class="card" aria-labelledby="status">
    <h2 id="status">Something does not work?</h2>
    <p>
      The status page shows whether the network has a problem. For anything else, ask ${operators(contact)}.
    </p>
    <ul class="links">
      <li><a href="${baseUrl}/readyz">Status of this network</a></li>
    </ul>
  </section>`;
}
