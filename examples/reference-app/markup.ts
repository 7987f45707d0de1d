/** HTML by a tagged template: every text between its parts is escaped. */
import { randomUUID } from 'node:crypto';

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

const LINK = /https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]]|(?<![\w@/.-])@[A-Za-z0-9_]{3,30}(?![\w@])/gu;

/** A text of a person, with its addresses and handles as links. */
export function linked(text: string): Markup[] {
  const parts: Markup[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(LINK)) {
    const handle = markup`<a href="/${found.toLowerCase()}">${found}</a>`;
    parts.push(markup`${text.slice(from, index)}`, found.startsWith('@') ? handle : outside(found));
    from = index + found.length;
  }
  return [...parts, markup`${text.slice(from)}`];
}

/** A link to an address that a person typed. Anything but http and https stays a text. */
export function outside(address: string): Markup {
  const url = URL.parse(address);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return markup`${address}`;
  const label = address.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '');
  return markup`<a href="${url.href}" rel="nofollow noopener noreferrer ugc" target="_blank">${label}</a>`;
}

export const hidden = (fields: Readonly<Record<string, string | number>>): Markup[] =>
  Object.entries(fields).map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`,
  );

/**
 * The fields of a form that changes something. The intent is made with the form: however often it is sent, it happens
 * once.
 */
export const newIntent = (fields: Readonly<Record<string, string | number>> = {}): Markup[] =>
  hidden({ intentId: randomUUID(), ...fields });

const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A time as its age, and in full for who asks. The script turns the latter into the reader's zone. */
export function age(at: number): Markup {
  const minutes = Math.max(0, Math.floor((Date.now() - at) / 60_000));
  const [hours, days] = [Math.floor(minutes / 60), Math.floor(minutes / 1_440)];
  const short =
    hours < 1 ? `${minutes} min` : days < 1 ? `${hours} h` : days < 7 ? `${days} d` : day.format(at);
  const words = minutes < 1 ? 'now' : short;
  return markup`<time datetime="${new Date(at).toISOString()}" title="${full.format(at)} UTC">${words}</time>`;
}

export const inWords = (seconds: number): string =>
  seconds < 90 ? `${seconds} second${seconds === 1 ? '' : 's'}` : `${Math.ceil(seconds / 60)} minutes`;
