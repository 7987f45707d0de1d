/** One request of a browser, and what pages need of it. */
import type { IncomingMessage } from 'node:http';
import type { LocalCopy, Reader, View } from './copy.ts';
import { ask } from './network.ts';
import type { Markup } from './markup.ts';
import { shell } from './pages/layout.ts';
import { settings } from './settings.ts';

export interface Answer {
  readonly status?: number;
  readonly html?: string;
  /** Of a redirect. */
  readonly location?: string;
  readonly cookies?: readonly string[];
  /** In seconds. */
  readonly retryAfter?: number | undefined;
}

export interface Visit {
  readonly url: URL;
  /** The part of the path where the route has `:id`. */
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The secret of the browser, which outlives sessions. */
  readonly browser: string;
  /** Of the session, if there is one. */
  readonly secret: string | undefined;
  /** The path of the page with the form or link, at this application. */
  readonly from: string;
}

/** Ports of one host share cookies, so their names are the application's. */
const PREFIX = settings.isHttps ? '__Host-' : '';
export const [SESSION, BROWSER] = [`${PREFIX}fountain_session`, `${PREFIX}fountain_browser`];
const MAX_AGE_S = 365 * 86_400;

/** @param secret undefined: deletes the cookie. */
export const cookie = (name: string, secret?: string): string =>
  `${name}=${secret ?? ''}; ${settings.isHttps ? 'Secure; ' : ''}HttpOnly; SameSite=Lax; Path=/; Max-Age=${secret === undefined ? 0 : MAX_AGE_S}`;

export const secretIn = ({ headers }: IncomingMessage, name: string): string | undefined =>
  new RegExp(`(?:^|; )${name}=([\\w-]{43})(?:;|$)`).exec(headers.cookie ?? '')?.[1];

export const goTo = (location: string, ...cookies: string[]): Answer => ({ status: 303, location, cookies });

/** A path of this application: nothing that a person could be sent away with. */
export function pathWithin(address: string | undefined): string {
  const url = address === undefined ? null : URL.parse(address, settings.origin);
  return url?.origin === settings.origin ? url.pathname.replace(/^\/+/, '/') + url.search : '/';
}

/** A visit of a signed-in person. */
export class Member {
  readonly visit: Visit;
  readonly copy: LocalCopy;
  /** The actor id. */
  readonly me: string;
  readonly id: string;
  readonly intentId: string;

  constructor(visit: Visit, copy: LocalCopy) {
    this.visit = visit;
    this.copy = copy;
    this.me = copy.actorId;
    this.id = visit.id;
    this.intentId = visit.fields['intentId'] ?? '';
  }

  /** Browsers send lines of a text with CRLF. */
  field = (name: string): string => (this.visit.fields[name] ?? '').replaceAll('\r\n', '\n');

  /** The page of a list that the link names, as the query of a read. */
  page(limit = 30): { readonly limit: number; readonly cursor?: string } {
    const cursor = this.visit.url.searchParams.get('cursor');
    return cursor === null ? { limit } : { limit, cursor };
  }

  ask: <Data>(request: Parameters<typeof ask<Data>>[1]) => Promise<Data> = (request) =>
    ask(this.copy.secret, request);

  /** A page. @param ids whose profiles it shows */
  async show(
    title: string,
    content: (reader: Reader) => Markup,
    ids: (view: View) => string[] = () => [],
  ): Promise<Answer> {
    const view = await this.copy.view();
    const people = await this.copy.people([this.me, ...ids(view)]);
    const reader = { me: this.me, view, people };
    return { html: shell(title, content(reader), reader, this.visit.url.pathname) };
  }
}

export type Routes<Visitor> = Readonly<Record<string, (visitor: Visitor) => Promise<Answer> | Answer>>;
