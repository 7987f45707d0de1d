import { html } from '../../../../base/pages/html.js';
import type { Html } from '../../../../base/pages/html.js';
import { pageLayout } from '../../../../base/pages/layout.js';

/**
 * The page at the address of the network, for visitors who know only that. Its links name the base URL: below `/api`, a
 * request under another name of this host is refused. `isOpen`: people create their accounts; undefined: not known now.
 */
export function landingPage(baseUrl: string, isOpen: boolean | undefined): string {
  const { host } = new URL(baseUrl);
  return pageLayout(
    host,
    html`
      <section class="card" aria-labelledby="network">
        <h1 id="network">Plaza at ${host}</h1>
        <p>
          A social network that people reach through independently operated applications: they post, reply,
          follow, like and block with any of them, and have one account for all.
        </p>
      </section>
      ${forPeople(baseUrl, isOpen)} ${forDevelopers(baseUrl)} ${forOperators(baseUrl)}
    `,
    { wide: true },
  );
}

function forPeople(baseUrl: string, isOpen: boolean | undefined): Html {
  const account = `${baseUrl}/api/auth/account`;
  const signUp = html`<li><a href="${account}/sign-up">Create an account</a></li>`;
  const closed = html`<li>The operators of this network create the accounts: ask them for one.</li>`;
  return html`<section class="card" aria-labelledby="people">
    <h2 id="people">For people</h2>
    <p>Your account page shows which applications may act for you, and disconnects them.</p>
    <ul class="links">
      ${isOpen === undefined ? undefined : isOpen ? signUp : closed}
      <li><a href="${account}">Sign in to your account</a></li>
    </ul>
  </section>`;
}

function forDevelopers(baseUrl: string): Html {
  const issuer = `${baseUrl}/api/auth`;
  return html`<section class="card" aria-labelledby="developers">
    <h2 id="developers">For developers</h2>
    <p>
      An application is a confidential OAuth 2.0 client. The operators of this network register it; people
      then sign in here and allow it to act for them.
    </p>
    <ul class="links">
      <li><a href="${baseUrl}/docs">API reference</a></li>
      <li><a href="${baseUrl}/api/openapi.json">The same as OpenAPI 3.1</a></li>
      <li>
        <a href="${issuer}/.well-known/openid-configuration">OpenID Connect discovery</a> of the issuer
        <code>${issuer}</code>
      </li>
      <li>How to write an application: <code>docs/applications.md</code> in the source of Plaza</li>
    </ul>
  </section>`;
}

function forOperators(baseUrl: string): Html {
  return html`<section class="card" aria-labelledby="operators">
    <h2 id="operators">For operators</h2>
    <p>
      On the machine of the network, <code>npx plaza --help</code> lists every command: register applications,
      create accounts, read the audit, back up, recover.
    </p>
    <ul class="links">
      <li><a href="${baseUrl}/readyz">Readiness of each component</a></li>
      <li>
        What to do in a failure: <code>docs/recovery.md</code>; upgrades and scaling:
        <code>docs/deployment.md</code>, both in the source of Plaza
      </li>
    </ul>
  </section>`;
}
