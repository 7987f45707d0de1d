import { html } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { mark } from '../../base/pages/layout.js';
import type { Session } from '../desk/identity/sessions.js';
import type { Frame } from '../desk/page.js';
import { iconAsset, styleAsset } from './assets.js';
import { mayDo } from './may.js';
import { proofField } from './parts.js';

const places = [
  { path: '/console/overview', name: 'Overview', act: 'network.overview' },
  { path: '/console/plots', name: 'Plots', act: 'network.plots' },
  { path: '/console/cases', name: 'Cases', act: 'case.list' },
  { path: '/console/subjects', name: 'Find', act: 'subject.find' },
  { path: '/console/as-of', name: 'As of', act: 'as_of.list' },
  { path: '/console/audit', name: 'Audit', act: 'audit.read' },
  { path: '/console/applications', name: 'Applications', act: 'application.list' },
  { path: '/console/batches', name: 'Batches', act: 'batch.list' },
  { path: '/console/recovery', name: 'Recovery', act: 'recovery.status' },
  { path: '/console/approvals', name: 'Approvals', act: 'approval.list' },
  { path: '/console/operators', name: 'Operators', act: 'operator.list' },
  { path: '/console/own', name: 'Your access', act: 'own.read' },
] as const;

interface PageFiles {
  readonly scripts?: readonly string[];
  readonly sheets?: readonly string[];
}

export function consolePage(
  title: string | Html,
  content: Html,
  frame: Frame,
  { scripts = [], sheets = [] }: PageFiles = {},
): string {
  const { session, notice, warnings = [] } = frame;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Plaza console</title>
        <link rel="stylesheet" href="${styleAsset.path}" />
        <link rel="icon" href="${iconAsset.path}" />
        ${sheets.map((path) => html`<link rel="stylesheet" href="${path}" />`)}
        ${scripts.map((path) => html`<script src="${path}" defer></script>`)}
      </head>
      <body class="${session ? 'console' : 'entry'}">
        <header>
          <p class="wordmark">${mark} Plaza console</p>
          ${session && corner(session, frame)}
        </header>
        <main>
          ${notice && html`<p class="notice" role="status">${notice}</p>`}
          ${warnings.map((warning) => html`<p class="problem" role="status">${warning}</p>`)} ${content}
        </main>
      </body>
    </html>`.text;
}

function corner(session: Session, { proof, path, waiting = 0 }: Frame): Html {
  const shown = places.filter(({ act }) => mayDo(session, act));
  return html`<nav aria-label="Console">
      ${shown.map(
        (place) =>
          html`<a href="${place.path}" ${path === place.path ? html`aria-current="page"` : undefined}
            >${place.name}${place.act === 'approval.list' && waiting > 0 ? ` (${waiting})` : ''}</a
          >`,
      )}
    </nav>
    <form method="post" action="/console/sign-out" class="who">
      ${proofField(proof)}
      <span><bdi>${session.name}</bdi> <span class="quiet small">${session.roles.join(', ')}</span></span>
      <button class="slim" type="submit">Sign out</button>
    </form>`;
}

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  // An invitation's code is in the address of its page. With no-referrer, browsers would send `Origin: null` with a form.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;
