/** The server: reads a request, finds its page, and turns every refusal into a page. Start here. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as bodyOf } from 'node:stream/consumers';
import { Fault } from './fault.ts';
import { release } from './live.ts';
import type { Answer } from './markup.ts';
import { faultPage } from './pages/faults.ts';
import { homeRoutes, type SentText } from './pages/home.ts';
import { assets, headers } from './pages/layout.ts';
import { peopleRoutes } from './pages/people.ts';
import { postRoutes } from './pages/posts.ts';
import { profileRoutes } from './pages/profile.ts';
import { visitorRoutes } from './pages/welcome.ts';
import { sessionOf } from './sessions.ts';
import { quit, settings } from './settings.ts';
import { consume, insert, removeExpired } from './store.ts';
import { BROWSER, cookie, type Routes, Visit } from './visit.ts';

const MAX_BODY = 65_536;
const OUTBOX_MS = 86_400_000;
const routes: Routes = { ...visitorRoutes, ...homeRoutes, ...postRoutes, ...peopleRoutes, ...profileRoutes };

function find(route: string) {
  for (const [pattern, handler] of Object.entries(routes)) {
    const found = new RegExp(`^${pattern.replace(':id', String.raw`([\w-]{1,64})`)}$`).exec(route);
    if (found) return { handler, id: found[1] ?? '' };
  }
  throw new Fault(404, 'gone');
}

async function answer(visit: Visit): Promise<Answer | undefined> {
  const { request, browser, secret } = visit;
  const { pathname, search } = visit.url;
  try {
    if (request.method === 'POST') visit.fields = await formOf(request);
    if (!/^[\w-]{0,64}$/.test(visit.intentId)) throw new Fault(400, 'refused');
    const { handler, id } = find(`${request.method?.replace('HEAD', 'GET')} ${pathname}`);
    visit.id = id;
    const actorId = visit.fields['text'] && sessionOf(secret)?.actorId;
    const sent = actorId && { actorId, path: pathname, fields: visit.fields };
    // The same intent may have had another text before.
    if (sent) consume('outbox', browser, visit.intentId);
    if (sent) insert('outbox', browser, visit.intentId, sent satisfies SentText, OUTBOX_MS);
    const answered = await handler(visit);
    consume('outbox', browser, visit.intentId);
    return answered;
  } catch (error) {
    if (!(error instanceof Fault)) console.error(error);
    const fault = error instanceof Fault ? error : new Fault(500, 'failed');
    const { status, code, isOpen, retryAfter, cause } = fault;
    if (status >= 500 || cause) console.log(status, code, cause instanceof Error ? cause.message : '');
    if (status === 401) release(secret);
    if (!isOpen) consume('outbox', browser, visit.intentId);
    // A browser does not send its cookie with the form of another site, and takes a new one.
    const cookies = code !== 'foreign_form' && { 'set-cookie': cookie(BROWSER, browser) };
    const retry = retryAfter && { 'retry-after': String(retryAfter) };
    const html = faultPage(fault, pathname + search, request.method === 'POST' ? visit.fields : undefined);
    return { status, headers: { ...cookies, ...retry }, html };
  }
}

async function formOf(request: IncomingMessage): Promise<Record<string, string>> {
  const { origin, 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  // The ports of a host share cookies, and SameSite too takes them for one site.
  if (origin !== settings.origin) throw new Fault(403, 'foreign_form');
  if (encoding || Number(length) > MAX_BODY) throw new Fault(413, 'too_long');
  // Browsers send lines of a text with CRLF.
  const body = await bodyOf(request).catch(() => Promise.reject(new Fault(400, 'refused')));
  return Object.fromEntries(new URLSearchParams(body.replaceAll('%0D%0A', '%0A')));
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answered = assets.get(request.url ?? '') ?? (await answer(new Visit(request, response)));
  if (!answered) return;
  response.writeHead(answered.status ?? 200, { ...headers, ...answered.headers }).end(answered.html);
}

/** The file of the sessions may fail while a refusal is answered, too. */
const failed = (response: ServerResponse) => (error: unknown) => {
  console.error(error);
  if (response.headersSent) response.destroy();
  else response.writeHead(500, headers).end(faultPage(new Fault(500, 'failed'), '/'));
};

removeExpired();
setInterval(() => void Promise.resolve().then(removeExpired).catch(console.error), 60_000).unref();
createServer((request, response) => void serve(request, response).catch(failed(response)))
  .on('error', ({ message }) => quit(`REFERENCE_APP_PORT: ${message}`))
  .listen(settings.port, 'localhost', () => console.log(`open ${settings.origin}`));
