import { closedBidi } from './bidi.js';

export class Html {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // No text may look like a placeholder (src/operator/console/names.ts).
  '\0': '\uFFFD',
};

type Part = Html | string | undefined | readonly Html[];

/** Builds HTML. Escapes every part that is no {@link Html}; undefined and an empty list render nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(escape)));
}

function escape(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part !== 'string') return part.map(({ text }) => text).join('');
  return closedBidi(part).replaceAll(/[&<>"'\0]/g, (character) => entities[character] ?? '');
}

export const hiddenField = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

const format = (timeStyle: 'short' | 'medium') =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle, timeZone: 'UTC' });

const minutes = format('short');
const seconds = format('medium');
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** A time in UTC. @param at Unix milliseconds. */
export const timeElement = (at: number): Html => timeIn(minutes, at);

/** The day alone, in UTC. */
export const dayElement = (at: number): Html => {
  const date = new Date(at);
  return html`<time datetime="${date.toISOString().slice(0, 10)}">${days.format(date)}</time>`;
};

/** With seconds, for lists whose order matters. */
export const secondElement = (at: number): Html => timeIn(seconds, at);

function timeIn(words: Intl.DateTimeFormat, at: number): Html {
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}">${words.format(date)} UTC</time>`;
}

/** The time since then, as `3 h`. */
export function ageElement(at: number, now: number): Html {
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}" title="${minutes.format(date)} UTC"
    >${ageOf(now - at)}</time
  >`;
}

function ageOf(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / (24 * 60))} d`;
}
