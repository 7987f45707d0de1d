import { z } from 'zod';
import { Refusal } from '../../../domain/refusal.js';
import { isOutage } from '../../../log/witness/outage.js';
import { HttpRefusal } from '../../../server/errors.js';
import type { Act } from '../../desk/act.js';
import { consolePathOf } from '../../desk/act.js';
import { AwaitedApproval } from '../../desk/approvals/awaited-approval.js';
import type { ActForm, FormFields } from '../../desk/page.js';
import { frameOf, goTo, perform, sendPage } from '../../console/answer.js';
import { Form, holderOf } from '../../console/form.js';
import type { Answering, Exchange } from '../../console/visit.js';
import { actOfRoute } from '../table.js';
import { openNext } from './kept-filters.js';

/** Performs the act of a form: the act's own checks decide about the input. */
export function answerForm(row: Act, form: true | ActForm<unknown>): Answering {
  const own = form === true ? undefined : form;
  return async (exchange) => {
    const { form: fields, visit, params } = exchange;
    const given = { ...fieldsIn(fields, row.schema), ...own?.input?.(fields, holderOf(visit.secret)) };
    const answer = await perform(exchange, row, row.schema && given);
    if (answer instanceof AwaitedApproval)
      return goTo(exchange, `/console/approvals/${answer.request.approvalId}?done=approval.request`);
    const shown = own?.page?.(await frameOf(exchange), answer, fields);
    if (shown !== undefined) return sendPage(exchange, shown);
    const done = own?.done?.(answer) ?? row.name;
    if (own?.leadsOn && isNextAsked(exchange)) {
      const opening = openNext({ ...exchange, form: caseLeft(params) }, [done]);
      if (await opening.then(() => true, isNoFault)) return exchange.reply;
    }
    const next = own?.to?.(answer) ?? pageAbove(row, params);
    return goTo(exchange, `${next}${next.includes('?') ? '&' : '?'}done=${done}`);
  };
}

const isNextAsked = ({ request, services }: Exchange): boolean =>
  new URL(request.url, services.config.operatorBaseUrl).searchParams.get('then') === 'next';

/** The next page is then about the act that succeeded. @throws any other error. */
function isNoFault(error: unknown): false {
  if (isOutage(error) || error instanceof HttpRefusal || error instanceof Refusal) return false;
  throw error;
}

/** The reason of the first act is none of the second. */
const caseLeft = ({ id = '' }: Exchange['params']): Form =>
  new Form(new URLSearchParams({ after: id }).toString());

/** The fields of the input, by the names and types of its shape. */
function fieldsIn(form: FormFields, schema: Act['schema']): Readonly<Record<string, unknown>> {
  const shape = schema instanceof z.ZodObject ? Object.entries<z.ZodType>(schema.shape) : [];
  const read = shape.map(([name, field]) => [name, fieldIn(form, name, field)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

function fieldIn(form: FormFields, name: string, field: z.ZodType): unknown {
  const isOptional = field instanceof z.ZodOptional || field instanceof z.ZodDefault;
  const type = isOptional ? field.unwrap() : field;
  if (type instanceof z.ZodArray) return form.all(name);
  if (type instanceof z.ZodNumber) return form.number(name);
  if (type instanceof z.ZodBoolean) return form.text(name) === 'yes';
  return form.text(name) ?? (isOptional ? undefined : '');
}

/** The nearest page above the address of a form; an act of the whole network leads to its overview. */
export function pageAbove(row: Act, params: Exchange['params']): string {
  let path = consolePathOf(row) ?? '';
  while (path !== '/console' && !actOfRoute('GET', path)) path = path.slice(0, path.lastIndexOf('/'));
  return path === '/console'
    ? '/console/overview'
    : path.replaceAll(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
}
