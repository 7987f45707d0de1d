import { z } from 'zod';
import { caseOrders } from '../../../../projections/cases/queue.read-model.js';
import { queueFilters } from '../../cases/case-queue.js';
import { goTo } from '../../console/answer.js';
import type { Answering } from '../../console/visit.js';

const filters = queueFilters.extend({ order: z.enum(caseOrders) });
const names = Object.keys(filters.shape);

/** Keeps the filters of the queue in a cookie. Without any in its address, the queue has the last ones, else the most urgent cases first. */
export const withKeptFilters =
  (answer: Answering): Answering =>
  async (exchange) => {
    const { request, reply, cookies, services } = exchange;
    const { searchParams } = new URL(request.url, services.config.operatorBaseUrl);
    const asked = Object.fromEntries(searchParams);
    const isNarrowed = names.some((name) => name in asked);
    const { cookie } = request.headers;
    const given = isNarrowed ? asked : Object.fromEntries(new URLSearchParams(cookies.readFilters(cookie)));
    const { data: chosen } = filters.safeParse({
      order: 'urgent',
      ...Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name))),
    });
    if ('order' in asked) {
      if (chosen) void reply.header('set-cookie', cookies.keepFilters(queryOf(chosen)));
      return answer(exchange);
    }
    return goTo(exchange, `/console/cases?${queryOf({ order: 'urgent', ...chosen, ...asked })}`);
  };

const queryOf = (fields: object): string =>
  new URLSearchParams(Object.entries(fields) as [string, string][]).toString();
