import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Actor, Reader, View } from '../copy.ts';
import { Markup, markup } from '../markup.ts';
import { settings } from '../settings.ts';
import { style } from './style.ts';

const fileOf = (name: string) => readFileSync(new URL(`../assets/${name}`, import.meta.url), 'utf8');

const FOREVER = 'public, max-age=31536000, immutable';
/** By address. An address has the hash of its content, so that browsers keep that for good. */
export const assets = new Map<string, { readonly body: string; readonly headers: Record<string, string> }>();
function addressOf(name: string, type: string, body: string): string {
  const address = `/assets/${createHash('sha256').update(body).digest('base64url').slice(0, 12)}/${name}`;
  const headers = { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' };
  assets.set(address, { body, headers: { ...headers, 'cache-control': FOREVER } });
  return address;
}
const links = {
  style: addressOf('app.css', 'text/css', style),
  script: addressOf('app.js', 'text/javascript', fileOf('app.js')),
  icon: addressOf('icon.svg', 'image/svg+xml', fileOf('icon.svg')),
};
const sprite = new Markup(fileOf('sprite.svg'));

export const icon = (name: string): Markup =>
  markup`<svg class="icon" aria-hidden="true"><use href="#${name}"/></svg>`;

/** Sign-in begins at this application and ends at the network, so forms may lead to both. */
export const headers: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; ` +
    `form-action 'self' ${settings.baseUrl}; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  // With no-referrer, browsers send `Origin: null` with a form.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

export function document(title: string, content: Markup, attributes = markup``): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Fountain</title>
<link rel="stylesheet" href="${links.style}"><link rel="icon" href="${links.icon}">
<script src="${links.script}" defer></script>
</head>
<body ${attributes}>${sprite}${content}</body>
</html>`.html;
}

export const unreadOf = ({ inbox }: View): number =>
  [...inbox.values()].filter(({ readAt }) => readAt === undefined).length;

/** A page of a signed-in person. @param path its own, without its query */
export function shell(
  title: string,
  content: Markup,
  { me, view, people }: Reader & { view: View },
  path: string,
): string {
  const own = people.get(me ?? '');
  const link = (href: string, name: string, label: string, more?: Markup) =>
    markup`<a href="${href}"${href === path && new Markup(' aria-current="page"')}>${icon(name)}<span>${label}</span>${more}</a>`;
  return document(
    title,
    markup`<a class="skip" href="#main">Skip to the content</a>
<div class="shell">
<header class="rail">
<a class="brand" href="/">${icon('mark')}<span>Fountain</span></a>
<nav aria-label="Main">
${link('/', 'home', 'Home')}
${link('/find', 'search', 'Find')}
${link('/inbox', 'bell', 'Inbox', badge(unreadOf(view)))}
${link(`/people/${me}`, 'person', 'Profile')}
${link('/settings', 'gear', 'Settings')}
</nav>
<a class="button main" href="/#compose">Post</a>
</header>
<main id="main" tabindex="-1"><div class="title"><h1>${title}</h1><p class="state" role="status" hidden></p></div>${content}</main>
<aside class="side" aria-label="You and this application">${own && mini(own)}${finder('', 'People, from every page')}
<p class="quiet small">Fountain is an example of an application for <a href="${settings.baseUrl}">Plaza</a>. Your posts live on the
network: every other application shows them too, and you can leave this one with all you have.</p></aside>
</div>
<button class="pill main" hidden></button>`,
    markup`data-after="${view.cursor}"`,
  );
}

/** Always there, so that the script can change it. */
const badge = (unread: number): Markup =>
  markup`<span class="badge"${unread === 0 && new Markup(' hidden')}><b>${unread > 99 ? '99+' : unread}</b><span class="unseen"> unread</span></span>`;

export const finder = (handle = '', label = 'People'): Markup =>
  markup`<form class="finder" action="/find" role="search" aria-label="${label}">
<label>${icon('search')}<span class="unseen">Handle</span><input name="handle" value="${handle}" placeholder="Find by handle" maxlength="31"
autocomplete="off" autocapitalize="none" spellcheck="false"></label><button class="unseen">Find</button></form>`;

/** A circle with the first letter, in one of eight colours by the id: profiles have no pictures. */
export function face({ actorId, displayName }: Omit<Person, 'handle'>, size = ''): Markup {
  const hue = Buffer.from(actorId).reduce((sum, byte) => sum + byte, 0) % 8;
  const [first] = new Intl.Segmenter('en').segment(displayName.toUpperCase());
  return markup`<span class="face hue${hue} ${size}" aria-hidden="true">${first?.segment ?? '?'}</span>`;
}

/** A person in a list. */
export const mini = (
  actor: Person,
): Markup => markup`<a class="mini" href="/people/${actor.actorId}">${face(actor)}<span>
<b class="name"><bdi>${actor.displayName}</bdi></b><span class="quiet">${handleOf(actor)}</span></span></a>`;

type Person = Pick<Actor, 'actorId' | 'displayName' | 'handle'>;

export const handleOf = ({ handle }: Pick<Actor, 'handle'>): string =>
  handle === null ? 'no handle' : `@${handle}`;

/** A page without a session. */
export const plain = (title: string, content: Markup): string =>
  document(title, markup`<main id="main">${content}</main>`, markup`class="plain"`);

export const empty = (name: string, title: string, text: Markup): Markup =>
  markup`<div class="empty">${icon(name)}<h2>${title}</h2><p>${text}</p></div>`;

/** A link to the next page of a list. */
export const older = (cursor: string | undefined, label = 'Older'): Markup | string | undefined =>
  cursor &&
  markup`<p class="older"><a class="button" href="?${new URLSearchParams({ cursor }).toString()}">${label}</a></p>`;
