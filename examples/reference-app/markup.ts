/** HTML by a tagged template: every text between its parts is escaped. */
import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';

export type Answer = Readonly<{ status?: number; headers?: OutgoingHttpHeaders; html?: string }>;

export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

type Part = Markup | string | number | false | undefined | readonly Markup[];

export const markup = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(String.raw({ raw: strings }, ...parts.map(escape)));

function escape(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Markup) return part.html;
  if (typeof part === 'object') return part.map(({ html }) => html).join('');
  // Controls of the writing direction would reorder the line around the text.
  return String(part)
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const ADDRESS = /https?:\/\/(?:(?!&#(?:34|39|60|62);)\S)+(?<![.,:!?)\]])|(?<![\w@/.-])@\w{3,30}(?![\w@])/g;

export const linked = (text: string): Markup =>
  new Markup(
    escape(text).replaceAll(ADDRESS, (found) => {
      if (found.startsWith('@')) return `<a href="/${found.toLowerCase()}">${found}</a>`;
      const label = found.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '');
      return `<a href="${found}" rel="nofollow noopener noreferrer ugc" target="_blank">${label}</a>`;
    }),
  );

type Fields = Readonly<Record<string, string | number>>;

export const hidden = (fields: Fields): Markup[] =>
  Object.entries(fields).map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`,
  );

/** The fields of a form that changes something. However often it is sent, it happens once. */
export const newIntent = (fields: Fields = {}): Markup[] => hidden({ intentId: randomUUID(), ...fields });

export const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

export function age(at: number): Markup {
  const minutes = Math.floor((Date.now() - at) / 60_000);
  const short = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
  const words = minutes < 1 ? 'now' : minutes < 1_440 ? short : day.format(at);
  return markup`<time datetime="${new Date(at).toISOString()}" title="${new Date(at).toUTCString()}">${words}</time>`;
}
