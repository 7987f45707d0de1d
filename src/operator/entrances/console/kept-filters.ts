import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { caseOrders } from '../../../../projections/cases/queue.read-model.js';
import { nextCase } from '../../cases/case.acts.js';
import { queueFilters } from '../../cases/case-queue.js';
import { nextQuery } from '../../cases/next-case.js';
import { goTo, perform } from '../../console/answer.js';
import type { Answering, Exchange } from '../../console/visit.js';

const PATH = '/console/cases';

const filters = queueFilters.extend({ order: z.enum(caseOrders).default('urgent') });
type Filters = z.infer<typeof filters>;
type Fields = Readonly<Record<string, string>>;

/** Undefined: these are none. */
function filtersIn(fields: Fields): Filters | undefined {
  const own = Object.keys(filters.shape).flatMap((name) => (name in fields ? [[name, fields[name]]] : []));
  return filters.safeParse(Object.fromEntries(own)).data;
}

const isNarrowed = (fields: Fields): boolean => Object.keys(filters.shape).some((name) => name in fields);

/** The last filters; without any, none but the order. */
const keptBy = ({ request, cookies }: Exchange): Filters =>
  filtersIn(Object.fromEntries(new URLSearchParams(cookies.readFilters(request.headers.cookie)))) ??
  filters.parse({});

/** Keeps the filters of the queue in a cookie. Without any in its address, it has the last ones. */
export const withKeptFilters =
  (answer: Answering): Answering =>
  async (exchange) => {
    const { request, reply, cookies, services } = exchange;
    const asked = Object.fromEntries(new URL(request.url, services.config.operatorBaseUrl).searchParams);
    const chosen = isNarrowed(asked) ? filtersIn(asked) : keptBy(exchange);
    // The address of a queue says its order, since the default of the act is another one.
    if (!('order' in asked))
      return goTo(exchange, `${PATH}?${queryOf({ ...chosen, order: chosen?.order ?? 'urgent', ...asked })}`);
    if (chosen) void reply.header('set-cookie', cookies.keepFilters(queryOf(chosen)));
    return answer(exchange).catch((error: unknown) => {
      void reply.removeHeader('set-cookie');
      throw error;
    });
  };

const queryOf = (fields: object): string =>
  new URLSearchParams(Object.entries(fields) as [string, string][]).toString();

/** Opens the case that it claims. A form without filters, as that of a case, has the last ones. `done`: notices before its own. */
export const openNext = async (exchange: Exchange, done: readonly string[] = []): Promise<FastifyReply> => {
  const names = [...Object.keys(nextQuery.shape), 'reason'];
  const typed = Object.fromEntries(
    names.flatMap((name) => {
      const text = exchange.form.text(name);
      return text === undefined ? [] : [[name, text]];
    }),
  );
  const { order: _order, ...kept } = keptBy(exchange);
  const asked: Readonly<Record<string, string | undefined>> = {
    ...(isNarrowed(typed) ? {} : kept),
    ...typed,
  };
  const { caseId } = await perform(exchange, nextCase, { ...asked, show: false });
  const none = asked['application'] === undefined ? 'case.none' : 'case.none_of_application';
  const notices = new URLSearchParams({
    done: [...done, caseId === null ? none : 'case.claim'].join(' '),
  });
  return goTo(exchange, `${caseId === null ? PATH : `${PATH}/${caseId}`}?${notices.toString()}`);
};
