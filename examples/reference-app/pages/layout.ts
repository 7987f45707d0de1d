import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Actor, Reader } from '../copy.ts';
import { type Answer, Markup, markup } from '../markup.ts';
import { settings } from '../settings.ts';

const fileOf = (name: string) => readFileSync(new URL(`../assets/${name}`, import.meta.url), 'utf8');
const sprite = new Markup(fileOf('sprite.svg'));

/** Answers by address. An address has the hash of its content, so that browsers keep that for good. */
export const assets = new Map<string, Answer>();
function addressOf(name: string, type: string): string {
  const html = fileOf(name);
  const address = `/assets/${createHash('sha256').update(html).digest('base64url')}/${name}`;
  const cached = { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' };
  assets.set(address, { html, headers: cached });
  return address;
}
const links = markup`<link rel="stylesheet" href="${addressOf('app.css', 'text/css')}">
<link rel="icon" href="${addressOf('icon.svg', 'image/svg+xml')}">
<script src="${addressOf('app.js', 'text/javascript')}" defer></script>`;

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

const document = (title: string, attributes: Markup, content: Markup): string =>
  markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Fountain</title>
${links}
</head>
<body ${attributes}>${sprite}${content}</body>
</html>`.html;

export const plain = (title: string, content: Markup): string =>
  document(title, markup`class="plain"`, markup`<main id="main">${content}</main>`);

export function shell(title: string, content: Markup, reader: Reader, path: string): string {
  const { me, view, people } = reader;
  const unread = [...view.inbox.values()].filter(({ readAt }) => readAt === undefined).length;
  const badge = markup`<span class="badge live"${unread === 0 && new Markup(' hidden')}><b>${unread}</b><span class="unseen"> unread</span></span>`;
  const link = (href: string, name: string, label: string, more?: Markup) =>
    markup`<a href="${href}"${href === path && new Markup(' aria-current="page"')}>${icon(name)}<span>${label}</span>${more}</a>`;
  return document(
    title,
    markup`data-after="${view.cursor}"`,
    markup`<a class="skip" href="#main">Skip to the content</a>
<div class="shell">
<header class="rail">
<a class="brand" href="/">${icon('mark')}<span>Fountain</span></a>
<nav aria-label="Main">
${link('/', 'home', 'Home')}
${link('/find', 'search', 'Find')}
${link('/inbox', 'bell', 'Inbox', badge)}
${link(`/people/${me}`, 'person', 'Profile')}
${link('/settings', 'gear', 'Settings')}
</nav>
<a class="button main" href="/#text">Post</a>
</header>
<main id="main" tabindex="-1"><div class="title"><h1>${title}</h1><p class="state" role="status" hidden></p></div>${content}</main>
<aside class="side" aria-label="You and this application">${mini(personIn(people, me))}${finder('', 'People, from every page')}
<p class="quiet small">Fountain is an example of an application for <a href="${settings.baseUrl}">Plaza</a>. Your posts live on the network.</p></aside>
</div>
<a class="pill button main" href="" hidden>Show what is new</a>`,
  );
}

export const icon = (name: string): Markup =>
  markup`<svg class="icon" aria-hidden="true"><use href="#${name}"/></svg>`;

export const finder = (handle = '', label = 'People'): Markup =>
  markup`<form class="finder" action="/find" role="search" aria-label="${label}">
<label>${icon('search')}<span class="unseen">Handle</span><input name="handle" value="${handle}" placeholder="Find by handle" maxlength="31"
autocomplete="off" autocapitalize="none" spellcheck="false"></label><button class="unseen">Find</button></form>`;

type Person = Pick<Actor, 'actorId' | 'displayName' | 'handle'>;

export const personIn = (people: Reader['people'], actorId: string): Person =>
  people.get(actorId) ?? { actorId, displayName: 'Somebody', handle: null };

export const handleOf = ({ handle }: Person): string => (handle === null ? 'no handle' : `@${handle}`);

export function face({ actorId, displayName }: Person, size = ''): Markup {
  const hue = Buffer.from(actorId).reduce((sum, byte) => sum + byte, 0) % 8;
  const [first] = new Intl.Segmenter('en').segment(displayName.toUpperCase());
  return markup`<span class="face hue${hue} ${size}" aria-hidden="true">${first?.segment}</span>`;
}

export const mini = (person: Person): Markup =>
  markup`<a class="mini" href="/people/${person.actorId}">${face(person)}<span><b class="name"><bdi>${person.displayName}</bdi></b>
<span class="quiet">${handleOf(person)}</span></span></a>`;

export const empty = (name: string, title: string, text: Markup): Markup =>
  markup`<div class="empty">${icon(name)}<h2>${title}</h2><p>${text}</p></div>`;

export const older = (cursor = ''): Markup | false =>
  cursor !== '' &&
  markup`<p class="older"><a class="button" href="?cursor=${encodeURIComponent(cursor)}">Older</a></p>`;

/** The script of a page removes drafts that were sent with this intent. */
export const settle = (intentId = ''): Markup => markup`<i hidden data-settled="${intentId}"></i>`;

export const textForm = (action: string, fields: Markup[], text: string, back: string, button: string) =>
  markup`<form class="composer" method="post" action="${action}">${fields}<label class="unseen" for="text">Text</label>
<textarea id="text" name="text" rows="6" required dir="auto" autofocus>${text}</textarea>
<div class="bar"><a class="button" href="${back}">Leave it</a><button class="main">${button}</button></div></form>`;
