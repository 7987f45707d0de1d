/** The server: reads a request, finds its session and page, and turns every refusal into a page. Start here. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as bodyOf } from 'node:stream/consumers';
import { Fault } from './fault.ts';
import { LiveCopy } from './live.ts';
import { homeRoutes, type Waiting } from './pages/home.ts';
import { inboxRoutes } from './pages/inbox.ts';
import { assets, headers } from './pages/layout.ts';
import { faultPage } from './pages/faults.ts';
import { peopleRoutes } from './pages/people.ts';
import { safetyRoutes } from './pages/safety.ts';
import { settingsRoutes } from './pages/settings.ts';
import { threadRoutes } from './pages/thread.ts';
import { visitorRoutes } from './pages/welcome.ts';
import { requireSession, type Session, sessionOf } from './sessions.ts';
import { settings } from './settings.ts';
import { keep, newSecret, removeExpired, take } from './store.ts';
import { type Answer, BROWSER, cookie, Member, pathWithin, type Routes, secretIn, SESSION } from './visit.ts';

const MAX_BODY = 65_536;
const MAX_COPIES = 1_000;
const WAITING_MS = 30 * 86_400_000;
const pages: Routes<Member> = { ...homeRoutes, ...threadRoutes, ...peopleRoutes, ...inboxRoutes };
const memberRoutes: Routes<Member> = { ...pages, ...safetyRoutes, ...settingsRoutes };

/** What this process holds for each session, the latest used last. */
const copies = new Map<string, LiveCopy>();

function copyOf(session: Session): LiveCopy {
  const copy = copies.get(session.id) ?? new LiveCopy(session);
  copies.delete(session.id);
  copies.set(session.id, copy);
  const [oldest] = copies.keys();
  if (copies.size > MAX_COPIES && oldest !== undefined) release(oldest);
  return copy;
}

function release(id: string): void {
  copies.get(id)?.end();
  copies.delete(id);
}

/** The handler of a request, and the part of its path where the route has `:id`. */
function find<Visitor>(routes: Routes<Visitor>, method: string, path: string) {
  for (const [route, handler] of Object.entries(routes)) {
    const found = new RegExp(`^${route.replace(':id', String.raw`([\w-]{1,64})`)}$`).exec(
      `${method} ${path}`,
    );
    if (found) return { handler, id: found[1] ?? '' };
  }
  return undefined;
}

/** Undefined: a stream, which goes on. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<Answer | undefined> {
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const path = request.url ?? '/';
  const browser = secretIn(request, BROWSER) ?? newSecret();
  let [fields, session]: [Record<string, string>?, Session?] = [];
  try {
    const url = URL.parse(settings.origin + path);
    if (!url) throw new Fault(404, 'gone');
    if (method === 'POST') fields = await formOf(request);
    const intentId = fields?.['intentId'] ?? '';
    const secret = secretIn(request, SESSION);
    session = secret === undefined ? undefined : sessionOf(secret);
    const waiting = session && fields?.['text'] && { actorId: session.actorId, path, fields };
    if (waiting) keep('waiting', intentId, browser, waiting satisfies Waiting, WAITING_MS);

    const referer = pathWithin(request.headers.referer);
    // The page of a refusal has the address of its form, which is none of a page.
    const from = find(memberRoutes, 'GET', referer.split('?')[0] ?? '') ? referer : '/';
    const visit = { url, id: '', fields: fields ?? {}, browser, from, secret };
    const open = find(visitorRoutes, method, url.pathname);
    if (open && !(url.pathname === '/' && session)) {
      const answered = await open.handler(visit);
      if (session && !sessionOf(session.secret)) release(session.id);
      return answered;
    }
    const found = find(memberRoutes, method, url.pathname);
    if (!found && url.pathname !== '/live') throw new Fault(404, 'gone');
    const copy = copyOf(requireSession(secret));
    const after = request.headers['last-event-id'] ?? url.searchParams.get('after');
    if (!found) return copy.join(response, Number(after));
    const answered = await found.handler(new Member({ ...visit, id: found.id }, copy));
    take('waiting', intentId, browser);
    return answered;
  } catch (error) {
    if (!(error instanceof Fault)) console.error(error);
    const fault = error instanceof Fault ? error : new Fault(500, 'failed');
    if (fault.status === 401 && session) release(session.id);
    if (!fault.isOpen) take('waiting', fields?.['intentId'] ?? '', browser);
    const html = faultPage(fault, path, fields);
    return { status: fault.status, html, retryAfter: fault.retryAfter, cookies: [cookie(BROWSER, browser)] };
  }
}

async function formOf(request: IncomingMessage): Promise<Record<string, string>> {
  const { origin, 'transfer-encoding': encoding, 'content-length': length } = request.headers;
  // The ports of a host share cookies, and SameSite too takes them for one site.
  if (origin !== settings.origin) throw new Fault(403, 'foreign_form');
  if (encoding || Number(length) > MAX_BODY) throw new Fault(413, 'too_long');
  return Object.fromEntries(new URLSearchParams(await bodyOf(request)));
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const asset = assets.get(request.url ?? '');
  if (asset) return void response.writeHead(200, asset.headers).end(asset.body);
  void answer(request, response).then((answered) => {
    if (!answered) return;
    const { status = 200, html, location, cookies, retryAfter } = answered;
    const given = { ...headers, location, 'retry-after': retryAfter, 'set-cookie': cookies };
    for (const [name, value] of Object.entries(given))
      if (value !== undefined) response.setHeader(name, value);
    response.writeHead(status).end(html);
  });
}

removeExpired();
setInterval(removeExpired, 3_600_000).unref();
createServer(serve).listen(settings.port, 'localhost', () => console.log(`open ${settings.origin}`));
