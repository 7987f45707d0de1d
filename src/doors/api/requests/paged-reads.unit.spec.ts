import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { PageArgs, PageQuery, ScannedPage } from '../../../../projections/runner/page-query.js';
import type { ReadQuery } from '../../../../projections/runner/read-query.js';
import type { ReadRequest, ReadRule } from '../admission/protected-reads.js';
import { PageCursors } from './page-cursor.js';
import { PagedReads } from './paged-reads.js';
import type { PageRequest } from './paged-reads.js';

const cursors = new PageCursors(randomBytes(32));
const rule: ReadRule = { anonymous: true };
const anybody = {} as ReadRequest;

/** The numbers from 1; each read has a new snapshot. */
const numbers: PageQuery<object, number> = {
  name: 'numbers',
  arity: 1,
  values: ({ after, scan }) => [after, scan],
  sql: () => '',
  present: (scanned) => scanned as ScannedPage<number>,
};

/** Pages of the numbers up to `last`. `asked`: rows requested by each read. */
function pages(last: number, isShown: (number: number) => boolean) {
  const asked: number[] = [];
  const reads = {
    read<Args, Result>(_request: ReadRequest, _rule: ReadRule, query: ReadQuery<Args, Result>, args: Args) {
      const { after = [0n], scan } = args as Args & PageArgs;
      asked.push(scan);
      const first = Number(after[0]) + 1;
      const end = Math.min(first + scan - 1, last);
      const all = Array.from({ length: end - first + 1 }, (_, n) => first + n);
      const scanned: ScannedPage<number> = {
        items: all.filter(isShown).map((item) => ({ key: [BigInt(item)], item })),
        last: end < last ? [BigInt(end)] : null,
      };
      return Promise.resolve({
        result: query.present(scanned),
        caller: undefined,
        incarnation: 'i1',
        revision: asked.length,
      });
    },
  };
  const paged = new PagedReads(reads, cursors);
  const read = async (page: PageRequest) => {
    const { result, revision } = await paged.read(anybody, rule, numbers, {}, { operation: 'numbers', page });
    return { items: result?.items, cursor: result?.cursor, revision };
  };
  return { asked, read };
}

describe('a page', () => {
  it('is cut before hidden rows are removed, and so may be short [relations-short-page, following-short-page]', async () => {
    const { read, asked } = pages(100, (number) => number % 5 === 0);
    const first = await read({ limit: 10 });
    expect(first).toMatchObject({ items: [5, 10], cursor: expect.any(String) });
    expect(await read({ limit: 10, cursor: first.cursor })).toMatchObject({ items: [15, 20] });
    expect(asked).toEqual([10, 10]);
  });

  it.each([
    ['is full', 20, () => true, [11, 12, 13, 14, 15, 16, 17, 18, 19, 20]],
    ['shows nothing', 15, (number: number) => number <= 10, []],
  ])('has no cursor if no row follows: a page that %s', async (_what, last, isShown, items) => {
    const { read } = pages(last, isShown);
    const { cursor } = await read({ limit: 10 });
    expect(await read({ limit: 10, cursor })).toMatchObject({ items, cursor: undefined });
  });

  it('is extended while none of its rows is shown, within the same read', async () => {
    const { read, asked } = pages(5_000, (number) => number > 600 && number <= 603);
    const found = await read({ limit: 2 });
    expect(found).toMatchObject({ items: [601, 602], revision: 3 });
    expect(asked).toEqual([2, 500, 500]);
    // Rows found beyond the limit are on the next page.
    expect((await read({ limit: 2, cursor: found.cursor })).items).toEqual([603]);
  });

  it('is extended by at most 2,000 rows, and then is empty with a cursor [relations-short-page]', async () => {
    const { read, asked } = pages(5_000, (number) => number > 2_050);
    const empty = await read({ limit: 50 });
    expect(empty).toMatchObject({ items: [], cursor: expect.any(String) });
    expect(asked.reduce((sum, scan) => sum + scan, 0)).toBe(2_050);
    expect((await read({ limit: 1, cursor: empty.cursor })).items).toEqual([2_051]);
  });
});
