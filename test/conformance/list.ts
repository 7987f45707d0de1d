/** The checked-in list of what the published document says: `sentences.json`. */
import { readFileSync } from 'node:fs';
import { partsOf } from './document.ts';
import type { Kind, Part } from './document.ts';

/** A part with an id, the id that it repeats, or the reason why it binds nothing. Headings have none of them. */
export interface Entry extends Part {
  readonly id?: string;
  readonly repeats?: string;
  readonly bindsNothing?: string;
}

const kinds: readonly Kind[] = ['heading', 'columns', 'row', 'sentence'];

const at = (path: string) => new URL(path, import.meta.url);

export const readDocument = (): string => readFileSync(at('../../docs/network-api.md'), 'utf8');

/** The parts in the document's order, each as `{ "id": "post-text", "row": "text | string | …" }`. */
export function readList(): Entry[] {
  const entries = JSON.parse(readFileSync(at('sentences.json'), 'utf8')) as Readonly<
    Record<string, string>
  >[];
  return entries.map((entry) => {
    const kind = kinds.find((each) => each in entry) ?? 'sentence';
    const { [kind]: text = '', ...claims } = entry;
    return Object.assign({ kind, text }, claims);
  });
}

/** Differences from the document and faulty ids, one on each line. Empty: the list is complete and exact. */
export function faultsIn(list: readonly Entry[], document: string): string[] {
  const parts = partsOf(document);
  const length = Math.max(parts.length, list.length);
  const different = Array.from({ length }, (_, index) => index).find(
    (index) => parts[index]?.text !== list[index]?.text || parts[index]?.kind !== list[index]?.kind,
  );
  const ids = list.flatMap(({ id }) => id ?? []);
  return [
    ...(different === undefined
      ? []
      : [
          `sentences.json has ${quoted(list[different])} where docs/network-api.md has ${quoted(parts[different])}`,
        ]),
    ...list
      .filter((entry) => claimsOf(entry) !== (isHeadingOrColumns(entry) ? 0 : 1))
      .map((entry) => `sentences.json gives ${quoted(entry)} no id and no reason, or more than one`),
    ...ids
      .filter((id, index) => ids.indexOf(id) !== index)
      .map((id) => `sentences.json has the id ${id} twice`),
    ...list.flatMap(({ repeats }) =>
      repeats === undefined || ids.includes(repeats)
        ? []
        : [`sentences.json repeats ${repeats}, which is no id`],
    ),
  ];
}

const isHeadingOrColumns = ({ kind }: Part): boolean => kind === 'heading' || kind === 'columns';

const claimsOf = ({ id, repeats, bindsNothing }: Entry): number =>
  [id, repeats, bindsNothing].filter((claim) => claim !== undefined && claim !== '').length;

const quoted = (part: Part | undefined): string => (part ? JSON.stringify(part.text) : 'nothing');
