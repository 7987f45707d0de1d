import { html } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { mark } from '../../base/pages/layout.js';
import type { Session } from '../desk/identity/sessions.js';
import type { Frame } from '../desk/page.js';
import { iconAsset, styleAsset } from './assets.js';
import { mayDo } from './may.js';
import { proofField } from './parts.js';
import { counted } from './tables.js';

interface Place {
  readonly path: string;
  readonly name: string;
  readonly act: string;
}

const place = (path: string, name: string, act: string): Place => ({ path: `/console/${path}`, name, act });

const groups = [
  {
    name: 'Work',
    places: [
      place('cases', 'Cases', 'case.list'),
      place('approvals', 'Approvals', 'approval.list'),
      place('subjects', 'Find', 'subject.find'),
    ],
  },
  {
    name: 'Look',
    places: [
      place('audit', 'Audit', 'audit.read'),
      place('as-of', 'As of', 'as_of.list'),
      place('applications', 'Applications', 'application.list'),
      place('plots', 'Plots', 'network.plots'),
    ],
  },
  {
    name: 'Network',
    places: [
      place('overview', 'Overview', 'network.overview'),
      place('recovery', 'Recovery', 'recovery.status'),
      place('batches', 'Batches', 'batch.list'),
      place('operators', 'Operators', 'operator.list'),
    ],
  },
] as const;

const own = place('own', 'Your access', 'own.read');

interface PageOptions {
  readonly scripts?: readonly string[];
  readonly sheets?: readonly string[];
  /** For tables and columns: the page takes the width of a large screen. */
  readonly isWide?: boolean;
}

export function consolePage(
  title: string | Html,
  content: Html,
  frame: Frame,
  { scripts = [], sheets = [], isWide = false }: PageOptions = {},
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
      <body class="${session ? 'console' : 'entry'}${isWide ? ' wide' : ''}">
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <a class="wordmark" href="/console">${mark} Plaza <span>console</span></a>
          ${session && navigation(title, session, frame)}
        </header>
        <main id="main" tabindex="-1">
          ${notice && html`<p class="notice" role="status" tabindex="-1" autofocus>${notice}</p>`}
          ${warnings.map((warning) => html`<p class="problem" role="status">${warning}</p>`)} ${content}
        </main>
      </body>
    </html>`.text;
}

/** One row on a wide screen. On a narrow one, a button opens it, and says where the page is. */
function navigation(title: string | Html, session: Session, { proof, path = '', waiting = 0 }: Frame): Html {
  const shown = groups
    .map(({ name, places }) => ({ name, places: places.filter(({ act }) => mayDo(session, act)) }))
    .filter(({ places }) => places.length > 0);
  const current = [...shown.flatMap(({ places }) => places), own].find((each) => isAt(each, path));
  return html`<button class="slim" type="button" popovertarget="menu">
      <span>Menu: <bdi>${current?.name ?? title}</bdi></span>
      ${waiting > 0 ? html`<small>${counted(waiting, 'approvals')}</small>` : undefined}
    </button>
    <nav id="menu" aria-label="Console" popover>
      ${shown.map(
        ({ name, places }) =>
          html`<div role="group" aria-label="${name}">
            ${places.map(
              (each) =>
                html`<a href="${each.path}" ${ariaCurrent(each, path)}
                  >${each.name}${each.act === 'approval.list' && waiting > 0 ? ` (${waiting})` : ''}</a
                >`,
            )}
          </div>`,
      )}
      <form method="post" action="/console/sign-out" class="who">
        ${proofField(proof)}
        <a href="${own.path}" ${ariaCurrent(own, path)}
          ><bdi>${session.name}</bdi> <span>${own.name}: ${session.roles.join(', ')}</span></a
        >
        <button class="slim" type="submit">Sign out</button>
      </form>
    </nav>`;
}

const isAt = (at: Place, path: string): boolean => path === at.path || path.startsWith(`${at.path}/`);

const ariaCurrent = (of: Place, path: string): Html | undefined =>
  isAt(of, path) ? html`aria-current="${path === of.path ? 'page' : 'true'}"` : undefined;

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  // An invitation's code is in the address of its page. With no-referrer, browsers would send `Origin: null` with a form.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;
