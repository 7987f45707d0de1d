import type { Act } from '../../desk/act.js';
import { frameOf, perform, sendPage } from '../../console/answer.js';
import { RELOAD_SECONDS } from '../../console/view.js';
import type { Answering } from '../../console/visit.js';

/** Shows the answer of a GET by the page of its row. Undefined: it has none. */
export function answerPage(row: Act): Answering | undefined {
  const page = row.page?.bind(row);
  if (!page) return undefined;
  return async (exchange) => {
    const { request, reply, services } = exchange;
    const { searchParams } = new URL(request.url, services.config.operatorBaseUrl);
    const query = Object.fromEntries([...searchParams].filter(([, value]) => value !== ''));
    const { done: _done, follow, ...input } = query;
    const answer = await perform(exchange, row, { ...input, ...row.pageInput });
    const isReloading = follow !== 'no' && (row.isUnfinished?.(answer) ?? false);
    if (isReloading) void reply.header('refresh', String(RELOAD_SECONDS));
    return sendPage(exchange, page(await frameOf(exchange), answer, { query, isReloading }));
  };
}
