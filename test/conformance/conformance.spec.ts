import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { faultsInTags } from './check.ts';
import { faultsIn, readDocument, readList } from './list.ts';
import type { Entry } from './list.ts';
import { pageOf } from './page.ts';
import { readTags } from './tags.ts';

const list = readList();
const tags = readTags();
const published = readDocument();

/** Faults in the list after a change. */
const faultsAfter = (change: (entries: Entry[]) => void): string[] => {
  const entries = list.map((entry) => ({ ...entry }));
  change(entries);
  return faultsIn(entries, published);
};
const place = list.findIndex(({ id }) => id === 'posts-scope');
const replaced = (entry: Partial<Entry>) =>
  faultsAfter((entries) => entries.splice(place, 1, { ...list[place]!, ...entry }));

describe('the list of sentences', () => {
  it('equals the published document, word for word and in its order', () => {
    expect(faultsIn(list, published)).toEqual([]);
  });

  it.each<[string, string[]]>([
    ['a sentence is missing', faultsAfter((entries) => entries.splice(place, 1))],
    [
      'a sentence occurs twice',
      faultsAfter((entries) => entries.splice(place, 0, { ...list[place]!, id: 'another' })),
    ],
    [
      'two sentences are swapped',
      faultsAfter((entries) => entries.splice(place, 2, list[place + 1]!, list[place]!)),
    ],
    ['a word differs', replaced({ text: 'Required scope: `read`.' })],
    ['the last sentence is missing', faultsAfter((entries) => entries.pop())],
    ['an id occurs twice', replaced({ id: 'posts-create' })],
    ['a sentence has both an id and a reason', replaced({ bindsNothing: 'It is nothing.' })],
    ['an id is empty', replaced({ id: '' })],
    ['a sentence repeats an unknown id', replaced({ id: '', repeats: 'nothing' })],
  ])('is faulty if %s', (_what, faults) => {
    expect(faults).toHaveLength(1);
  });
});

describe('the titles of tests', () => {
  it('name every sentence and no unknown one', () => {
    expect(faultsInTags(list, tags)).toEqual([]);
  });
});

describe('docs/conformance.md', () => {
  it('is what `npm run conformance` writes', () => {
    const page = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');
    expect(page).toBe(pageOf(list, tags));
  });
});
