/** One request of a browser, and what pages need of it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reader, View } from './copy.ts';
import { copyOf } from './live.ts';
import type { Answer, Markup } from './markup.ts';
import { ask, type Request } from './network.ts';
import { shell } from './pages/layout.ts';
import { settings } from './settings.ts';
import { newSecret } from './store.ts';

/** Undefined: it answers by itself, and goes on. */
export type Handler = (visit: Visit) => Promise<Answer> | Answer | undefined;
export type Routes = Readonly<Record<string, Handler>>;
export type Fields = Readonly<Record<string, string>>;

/** Ports of one host share cookies, so their names are the application's. */
const [prefix, secure] = settings.origin.startsWith('https:') ? ['__Host-', '; Secure'] : ['', ''];
export const [SESSION, BROWSER] = [`${prefix}fountain_session`, `${prefix}fountain_browser`];

/** @param secret empty: deletes the cookie. */
export const cookie = (name: string, secret: string): string =>
  `${name}=${secret}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${secret === '' ? 0 : 31_536_000}${secure}`;

export function goTo(location: string, ...cookies: string[]): Answer {
  return { status: 303, headers: { location, 'set-cookie': cookies } };
}

/** A path of this application: nothing that a person could be sent away with. */
export function pathWithin(address = ''): string {
  const url = URL.parse(address, settings.origin);
  return url?.origin === settings.origin ? url.pathname.replace(/^\/+/, '/') + url.search : '/';
}

export class Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** The secret of the session, or empty; and that of the browser, which outlives sessions. */
  readonly secret: string;
  readonly browser: string;
  /** The part of the path where the route has `:id`, and the fields of the form. */
  id = '';
  fields: Fields = {};

  constructor(request: IncomingMessage, response: ServerResponse) {
    const { cookie: cookies = '' } = request.headers;
    const secretIn = (name: string) => new RegExp(`(?:^|; )${name}=([\\w-]{43})(?:;|$)`).exec(cookies)?.[1];
    this.request = request;
    this.response = response;
    this.url = new URL(pathWithin(request.url), settings.origin);
    this.secret = secretIn(SESSION) ?? '';
    this.browser = secretIn(BROWSER) ?? newSecret();
  }

  get intentId(): string {
    return this.field('intentId');
  }

  get page(): { readonly limit: number; readonly cursor?: string } {
    const cursor = this.url.searchParams.get('cursor');
    return { limit: 30, ...(cursor !== null && { cursor }) };
  }

  field = (name: string): string => this.fields[name] ?? '';
  copy = () => copyOf(this.secret);
  ask = <Data>(request: Request<Data>): Promise<Data> => ask(this.secret, request);

  /** Returns a page for the person of the session. `ids`: whose profiles it shows. */
  show = async (title: string, content: (reader: Reader) => Markup, ids?: (view: View) => string[]) => {
    const copy = this.copy();
    const view = await copy.view();
    const people = await copy.people([copy.actorId, ...(ids?.(view) ?? [])]);
    const reader = { me: copy.actorId, view, people, mainId: this.id };
    return { html: shell(title, content(reader), reader, this.url.pathname) };
  };
}
