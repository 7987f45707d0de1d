import type { Keyset, PageArgs, PageQuery, ScannedPage } from '../../../../projections/runner/page-query.js';
import type { ProtectedReads, Read, ReadRequest, ReadRule } from '../admission/protected-reads.js';
import type { PageCursors } from './page-cursor.js';

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A page of a read. `cursor`: of the next page; undefined on the last one. */
export interface Page<Item, Seen = ScannedPage<Item>> {
  readonly items: readonly Item[];
  readonly cursor: string | undefined;
  readonly scanned: Seen;
}

/**
 * Bound on reading on while nothing of a page is visible: rows in each further statement, and number of such
 * statements.
 */
const READ_AHEAD = { scan: 500, rounds: 4 };

/**
 * Pages of protected reads. A page is cut before visibility rules apply (network-api.md), so it may be short. If
 * nothing of it is visible, reading continues within a bound, so that an application rarely sees an empty page. All
 * rows of the answer come from the snapshot of its headers.
 */
export class PagedReads {
  constructor(
    private readonly reads: Pick<ProtectedReads, 'read'>,
    private readonly cursors: PageCursors,
  ) {}

  /**
   * Returns a page; `result` is null if the subject of the read does not exist or is not visible.
   * @param operation the operation with its subject: a cursor is valid for nothing else.
   * @throws {HttpRefusal} `invalid_page_cursor`, and the errors of {@link ProtectedReads.read}.
   */
  async read<Args, Item, Seen extends ScannedPage<Item>>(
    request: ReadRequest,
    rule: ReadRule,
    query: PageQuery<Args, Item, Seen>,
    args: Args,
    { operation, page }: { readonly operation: string; readonly page: PageRequest },
  ): Promise<Read<Page<Item, Seen> | null>> {
    const from = page.cursor === undefined ? undefined : this.cursors.decode(page.cursor, query.arity);
    const ask = (after: Keyset | undefined, scan: number) =>
      this.reads.read<Args & PageArgs, Seen | null>(request, rule, query, { ...args, after, scan });
    let read = await ask(from, page.limit);
    const paged = { operation, actorId: read.caller?.actorId, incarnation: read.incarnation };
    if (page.cursor !== undefined) this.cursors.verify(paged, page.cursor, from);
    for (let round = 0; round < READ_AHEAD.rounds; round++) {
      const last = read.result?.last;
      if (!last || read.result?.items.length) break;
      read = await ask(last, READ_AHEAD.scan);
    }
    const { result, incarnation } = read;
    if (!result) return { ...read, result: null };
    const visible = result.items.slice(0, page.limit);
    const next = result.items.length > visible.length ? (visible.at(-1)?.key ?? null) : result.last;
    return {
      ...read,
      result: {
        items: visible.map(({ item }) => item),
        cursor: next ? this.cursors.encode({ ...paged, incarnation }, next) : undefined,
        scanned: result,
      },
    };
  }
}
