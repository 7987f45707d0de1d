import { describe, expect, it } from '@jest/globals';
import { faultsInOutcomes, faultsInTags, unansweredCodes } from './check.ts';
import type { Outcome } from './check.ts';
import { taggedIn } from './tags.ts';

const file = 'test/posts.spec.ts';
const source = `
  describe('a post', () => {
    it('needs a token [token, scope]', () => undefined);
    it.each([['a', 1]])('refuses %s with %j, \\'as it is\\' [scope]', () => undefined);
    it('shows nothing', () => undefined);
    test(\`is read \${TIMES} times [read]\`, () => undefined);
  });
  describe.each(lists)('a page of $id.name [pages]', () => {
    it('is short', () => undefined);
    it('has a title in brackets [1]'.length, () => undefined);
  });
  log('is no test [nothing]');
`;
const tags = taggedIn(file, source);

const list = ['token', 'scope', 'read', 'pages'].map((id) => ({ kind: 'sentence', text: id, id }) as const);

const ran = (titles: readonly string[], status = 'passed'): Outcome => ({ file, titles, ids: [], status });
const whole = [
  ran(['a post', 'needs a token']),
  ran(['a post', 'refuses a space with {"a":1}, \'as it is\'']),
  ran(['a post', "refuses a\nline with [1], 'as it is'"]),
  ran(['a post', 'shows nothing'], 'failed'),
  ran(['a post', 'is read 50 times']),
  ran(['a page of replies', 'is short']),
];

describe('the titles of tests in a source', () => {
  it('are found with the titles of their groups, if they end with ids', () => {
    expect(tags).toEqual([
      { file, titles: ['a post', 'needs a token'], ids: ['token', 'scope'] },
      { file, titles: ['a post', "refuses %s with %j, 'as it is'"], ids: ['scope'] },
      { file, titles: ['a post', 'is read ${…} times'], ids: ['read'] },
      { file, titles: ['a page of $id.name'], ids: ['pages'] },
    ]);
  });

  it('are faulty if they name an unknown sentence, or if no title names a sentence', () => {
    expect(faultsInTags(list, tags)).toEqual([]);
    expect(faultsInTags(list.slice(1), tags)).toEqual([
      'test/posts.spec.ts: a post needs a token: there is no sentence token',
    ]);
    expect(faultsInTags([...list, { kind: 'row', text: 'x', id: 'new' }], tags)).toEqual([
      'new: no test names it',
    ]);
  });
});

describe('a run of all tests', () => {
  it('shows every sentence if each tagged test passed, whatever the others did', () => {
    expect(faultsInOutcomes(tags, whole)).toEqual([]);
  });

  it.each(['failed', 'pending', 'todo'])('has a fault if a tagged test is %s', (status) => {
    const faults = faultsInOutcomes(tags, [
      ...whole,
      ran(['a post', "refuses x with 1, 'as it is'"], status),
    ]);
    expect(faults).toEqual([
      `test/posts.spec.ts: a post refuses x with 1, 'as it is': it ${status === 'failed' ? 'failed' : 'did not run'}`,
    ]);
  });

  it.each(whole.map((_each, index) => index).filter((index) => ![1, 2, 3].includes(index)))(
    'has a fault if a tagged test is missing: number %d',
    (left) => {
      const faults = faultsInOutcomes(
        tags,
        whole.filter((_each, index) => index !== left),
      );
      expect(faults).toEqual([expect.stringMatching(/: it did not run$/)]);
    },
  );

  it('has a fault if the tagged test is in another file', () => {
    const elsewhere = whole.map(({ titles, ids, status }) => ({
      file: 'test/other.spec.ts',
      titles,
      ids,
      status,
    }));
    expect(faultsInOutcomes(tags, elsewhere)).toHaveLength(tags.length);
  });

  it('covers a code if some test was answered with it and its status', () => {
    const statuses = { not_found: 404, invalid_text: 400 };
    const found = { file, code: 'not_found', status: 404 };
    expect(unansweredCodes(statuses, [found, { file, code: 'invalid_text', status: 400 }])).toEqual([]);
    expect(unansweredCodes(statuses, [found, { file, code: 'invalid_text', status: 500 }])).toEqual([
      'invalid_text: no test was answered with it and status 400',
    ]);
  });
});
