/** Refusals as pages: each says what happened, what became of the action, and what to do. */
import { readFileSync } from 'node:fs';
import type { Fault } from '../fault.ts';
import { hidden, type Markup, markup, newIntent } from '../markup.ts';
import { settings } from '../settings.ts';
import type { Fields } from '../visit.ts';
import { icon, plain, settle, textForm } from './layout.ts';

/** By code: icon, title and text. */
const lines = readFileSync(new URL('faults.txt', import.meta.url), 'utf8').split('\n');
export const texts = new Map(
  lines.map((line) => line.split(' | ')).map(([code = '', ...text]) => [code, text] as const),
);

/** The page of a refusal. `fields`: of the form that was refused, to send it again. */
export function faultPage(fault: Fault, path: string, fields?: Fields): string {
  const { code, retryAfter = 0, isOpen, status } = fault;
  const similar = status === 404 ? 'gone' : status < 500 ? 'refused' : 'domain_storage_unavailable';
  const [name = '', title = '', text = ''] = texts.get(code) ?? texts.get(similar) ?? [];
  const { text: typed = '', intentId = '', ...rest } = fields ?? {};
  const [amount, unit] = retryAfter < 90 ? [retryAfter, 'second'] : [Math.ceil(retryAfter / 60), 'minute'];
  const next = markup`${typed !== '' && markup`<blockquote class="kept" dir="auto">${typed}</blockquote>`}
<div class="bar">${nextStep(fault, path, fields)}</div>`;
  const isConflict = code === 'intent_conflict';
  const again = isConflict ? newIntent(rest) : hidden({ intentId, ...rest });
  const content = markup`<div class="card fault">${icon(name)}<h1>${title}</h1>
<p>${text}${isOpen && retryAfter > 0 && ` Try again in ${amount} ${unit}${amount === 1 ? '' : 's'}.`}</p>
${fields && isOpen && status !== 401 && markup`<p class="quiet">Send it again: it happens once, however often you try.</p>`}
${isConflict && settle(intentId)}${typed !== '' && path.startsWith('/posts') && (isConflict || code === 'invalid_text') ? textForm(path, again, typed, '/', 'Send it') : next}</div>`;
  return plain(title, content);
}

function nextStep({ code, status, isOpen }: Fault, path: string, fields?: Fields): Markup {
  const home = markup`<a class="button" href="/">Home</a>`;
  const account = markup`<a class="button" href="${settings.baseUrl}/api/auth/account">Your account page</a>`;
  if (code === 'social_authority_required') return markup`${account}${signOut}`;
  // A callback is answered once.
  if (status === 401 || code.startsWith('login_') || path.startsWith('/callback')) {
    const isOver = status === 401 && code !== 'session_unknown';
    const parent = fields?.['parentId'] ? `/posts/${fields['parentId']}` : '/';
    const again = signIn(isOver ? 'Sign in again' : 'Sign in', status === 401 && !fields ? path : parent);
    return markup`${again}${code === 'disconnected' && account}${isOver && signOut}`;
  }
  const first = markup`<a class="button" href="${path.replace(/\?.*/, '')}">The first page</a>`;
  if (!isOpen) return code === 'invalid_page_cursor' ? first : home;
  return fields
    ? markup`<form method="post" action="${path}">${hidden(fields)}<button class="main">Try again</button></form>${home}`
    : markup`<a class="button main" href="${path}">Try again</a>`;
}

export const signIn = (label: string, returnTo = '/'): Markup =>
  markup`<form method="post" action="/login">${hidden({ returnTo })}<button class="main">${label}</button></form>`;
export const signOut = markup`<form method="post" action="/logout"><button>Sign out</button></form>`;
