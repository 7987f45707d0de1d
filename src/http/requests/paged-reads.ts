import type { Keyset, PageArgs, PageQuery, Scanned } from '../../../projections/runner/page-query.js';
import type { ProtectedReads, Read, ReadRequest, ReadRule } from '../admission/protected-reads.js';
import type { PageCursors } from './page-cursor.js';

/** A page as it was asked for. `limit`: rows of it, at least 1, already clamped. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** `cursor`: of the page behind it; undefined: this is the end. */
export interface Page<Item, Seen = Scanned<Item>> {
  readonly items: readonly Item[];
  readonly cursor: string | undefined;
  /** The query's answer that this comes from. */
  readonly seen: Seen;
}

/** How far an empty page is read on: rows at a time, and how often. */
const READING_ON = { scan: 500, rounds: 4 };

/**
 * Pages of protected reads. A page is cut before rules of visibility apply (network-api.md), so it may be short. Where
 * nothing of it may be shown it is read on, within a bound, so that an application does not see nobody where there is
 * somebody; an empty page is of the same snapshot as its headers all the same.
 */
export class PagedReads {
  constructor(
    private readonly reads: Pick<ProtectedReads, 'read'>,
    private readonly cursors: PageCursors,
  ) {}

  /**
   * @param operation names the operation with what it is about: a cursor works for nothing else.
   * @throws {HttpRefusal} `invalid_page_cursor`, and whatever {@link ProtectedReads.read} throws.
   */
  async read<Args, Item, Seen extends Scanned<Item>>(
    request: ReadRequest,
    rule: ReadRule,
    query: PageQuery<Args, Item, Seen>,
    args: Args,
    { operation, page }: { readonly operation: string; readonly page: PageRequest },
  ): Promise<Read<Page<Item, Seen> | null>> {
    const from = page.cursor === undefined ? undefined : this.cursors.keyIn(page.cursor, query.arity);
    const ask = (after: Keyset | undefined, scan: number) =>
      this.reads.read<Args & PageArgs, Seen | null>(request, rule, query, { ...args, after, scan });
    let read = await ask(from, page.limit);
    const paged = { operation, actorId: read.caller?.actorId, incarnation: read.incarnation };
    if (page.cursor !== undefined) this.cursors.prove(paged, page.cursor, from);
    for (let round = 0; round < READING_ON.rounds; round++) {
      const last = read.result?.last;
      if (!last || read.result?.items.length) break;
      read = await ask(last, READING_ON.scan);
    }
    const { result, incarnation } = read;
    if (!result) return { ...read, result: null };
    const shown = result.items.slice(0, page.limit);
    const next = result.items.length > shown.length ? (shown.at(-1)?.key ?? null) : result.last;
    return {
      ...read,
      result: {
        items: shown.map(({ item }) => item),
        cursor: next ? this.cursors.encode({ ...paged, incarnation }, next) : undefined,
        seen: result,
      },
    };
  }
}
