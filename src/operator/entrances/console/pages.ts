import { HttpRefusal } from '../../../server/errors.js';
import { setRefusalCode } from '../../../server/refusal-code.js';
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
    try {
      const answer = await perform(exchange, row, row.pageInput?.(input) ?? input);
      const isReloading = follow !== 'no' && (row.isUnfinished?.(answer) ?? false);
      if (isReloading) void reply.header('refresh', String(RELOAD_SECONDS));
      return await sendPage(exchange, page(await frameOf(exchange), answer, { query, isReloading }));
    } catch (error) {
      const isRefused = error instanceof HttpRefusal && error.code === 'invalid_request';
      if (!row.refusedPage || !isRefused || !request.headers.accept?.includes('text/html')) throw error;
      setRefusalCode(reply.raw, error.code);
      void reply.status(400);
      const view = { query, isReloading: false };
      return sendPage(exchange, row.refusedPage(await frameOf(exchange), error.message, view));
    }
  };
}
