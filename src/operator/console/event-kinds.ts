import { capitalized } from '../../base/support/capitalized.js';
import { counted } from './tables.js';
import { doerIdOf, doerOf, templateOf, withoutIds } from '../desk/sentences.js';
import type { Part, Told } from '../desk/sentences.js';

/** Events that differ in their ids alone, the newest first, and what they are together: `followed 12 people`. */
export interface EventKind<Event extends Told> {
  readonly summary: readonly Part[];
  readonly events: readonly [Event, ...Event[]];
}

/** Events by kind, in the order of the first of each. `about`: the id of the subject of all of them. */
export function kindsOf<Event extends Told>(
  events: readonly Event[],
  about: string,
): readonly EventKind<Event>[] {
  const kinds = Map.groupBy(events, (event) => `${doerIdOf(event) === about} ${templateOf(event)}`);
  return [...kinds.values()].map((found) => {
    const [first, ...others] = found as [Event, ...Event[]];
    return { summary: summaryOf([first, ...others], about), events: [first, ...others] };
  });
}

function summaryOf(events: readonly [Told, ...Told[]], about: string): readonly Part[] {
  const template = templateOf(events[0]);
  const field = /\{(\w+)\}/.exec(template)?.[1] ?? '';
  const ids = new Set(events.map(({ subject }) => subject[field] ?? ''));
  const doers = new Set(events.map((event) => JSON.stringify(doerOf(event))));
  const times = events.length > Math.max(ids.size, doers.size) ? `, ${events.length} times` : '';
  const said = `${wordsFor(template, ids, about)}${times}`;
  if (doerIdOf(events[0]) === about) return [capitalized(said)];
  if (doers.size === 1) return [...doerOf(events[0]), ` ${said}`];
  const areOperators = events.every(({ operatorId }) => operatorId !== null);
  return [
    `${areOperators ? counted(doers.size, 'operators') : people(doers.size)} ${said.replace(/^was /, 'were ')}`,
  ];
}

function wordsFor(template: string, ids: ReadonlySet<string>, about: string): string {
  if (ids.size === 1 && ids.has(about))
    return withoutIds(template.replace(/^((?!.*\bthe\b)[a-z ]+) \{\w+\}$/, '$1 them'));
  const [, verb, noun = ''] =
    /^(.+?) the (\w+)(?: about)? \{\w+\}(?: of \{\w+\})?(?: to the post .*)?$/.exec(template) ?? [];
  if (verb !== undefined)
    return `${verb} ${noun === 'person' ? people(ids.size) : counted(ids.size, `${noun}s`)}`;
  const alone = /^([a-z ]+) \{\w*[aA]ctorId\}$/.exec(template)?.[1];
  return alone === undefined ? withoutIds(template) : `${alone} ${people(ids.size)}`;
}

const people = (count: number): string => (count === 1 ? '1 person' : counted(count, 'people'));
