/** Refusals as pages: each says what happened, what became of the action, and what to do. */
import { readFileSync } from 'node:fs';
import type { Fault } from '../fault.ts';
import { hidden, inWords, type Markup, markup } from '../markup.ts';
import { settings } from '../settings.ts';
import { icon, plain } from './layout.ts';

/** By code: icon, title and text. */
const texts = new Map(
  readFileSync(new URL('faults.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' | '))
    .map(([code = '', ...text]) => [code, text] as const),
);

function textOf({ code, status }: Fault): readonly string[] {
  const similar = { 404: 'gone', 503: 'protected_read_unavailable' }[status] ?? 'failed';
  return texts.get(code) ?? texts.get(similar) ?? [];
}

type Fields = Readonly<Record<string, string>>;

/** The page of a refusal. `fields`: of the form that was refused, to send it again. */
export function faultPage(fault: Fault, path: string, fields?: Fields): string {
  const [name = '', title = '', text = ''] = textOf(fault);
  const { retryAfter, isOpen, status } = fault;
  const wait = isOpen && retryAfter !== undefined && markup` Try again in ${inWords(retryAfter)}.`;
  return plain(
    title,
    markup`<div class="card fault">${icon(name)}<h1>${title}</h1>
<p>${text}${wait}</p>
${fields && isOpen && status !== 401 && markup`<p class="quiet">What you did is kept: send it again, and it happens once, however often you try.</p>`}
${fields?.['text'] && markup`<blockquote class="kept" dir="auto">${fields['text']}</blockquote>`}
<div class="bar">${nextStep(fault, path, fields)}</div></div>`,
  );
}

function nextStep({ code, status, isOpen }: Fault, path: string, fields?: Fields): Markup {
  const home = markup`<a class="button" href="/">Home</a>`;
  const account = markup`<a class="button" href="${settings.baseUrl}/api/auth/account">Your account page</a>`;
  if (code === 'social_authority_required') return markup`${account}${signOut}`;
  if (status === 401 || code.startsWith('login_')) {
    const hint = code === 'disconnected' && account;
    return markup`${signIn('Sign in again', status === 401 && !fields ? path : '/')}${hint}${status === 401 && signOut}`;
  }
  if (!isOpen) return home;
  return fields
    ? markup`<form method="post" action="${path}">${hidden(fields)}<button class="main">Try again</button></form>${home}`
    : markup`<a class="button main" href="${path}">Try again</a>`;
}

export const signIn = (label: string, returnTo = '/'): Markup =>
  markup`<form method="post" action="/login">${hidden({ returnTo })}<button class="main">${label}</button></form>`;

export const signOut = markup`<form method="post" action="/logout"><button>Sign out</button></form>`;
