/** The server: reads a request, finds its session and page, and turns every refusal into a page. Start here. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as bodyOf } from 'node:stream/consumers';
import { LocalCopy } from './copy.ts';
import { Fault } from './fault.ts';
import { LiveNews } from './live.ts';
import { homeRoutes } from './pages/home.ts';
import type { Waiting } from './pages/home.ts';
import { inboxRoutes } from './pages/inbox.ts';
import { assets, headers } from './pages/layout.ts';
import { faultPage } from './pages/faults.ts';
import { peopleRoutes } from './pages/people.ts';
import { safetyRoutes } from './pages/safety.ts';
import { settingsRoutes } from './pages/settings.ts';
import { threadRoutes } from './pages/thread.ts';
import { visitorRoutes } from './pages/welcome.ts';
import { requireSession, sessionOf } from './sessions.ts';
import type { Session } from './sessions.ts';
import { settings } from './settings.ts';
import { keep, newSecret, removeExpired, take } from './store.ts';
import { BROWSER, cookie, Member, pathWithin, secretIn, SESSION } from './visit.ts';
import type { Answer, Routes, Visit } from './visit.ts';

const MAX_BODY = 65_536;
const MAX_COPIES = 1_000;
const WAITING_MS = 30 * 86_400_000;
const memberRoutes: Routes<Member> = {
  ...homeRoutes,
  ...threadRoutes,
  ...peopleRoutes,
  ...inboxRoutes,
  ...safetyRoutes,
  ...settingsRoutes,
};

/** What this process holds for each session, the latest used last. */
const members = new Map<string, { readonly copy: LocalCopy; readonly news: LiveNews }>();

function heldFor(session: Session) {
  const copy = members.get(session.id)?.copy ?? new LocalCopy(session);
  const held = members.get(session.id) ?? { copy, news: new LiveNews(copy) };
  members.delete(session.id);
  members.set(session.id, held);
  const [oldest] = members.keys();
  if (members.size > MAX_COPIES && oldest !== undefined) release(oldest);
  return held;
}

function release(id: string): void {
  members.get(id)?.news.end();
  members.delete(id);
}

/** The handler of a request, and the part of its path where the route has `:id`. */
function find<Visitor>(routes: Routes<Visitor>, method: string, path: string) {
  for (const [route, handler] of Object.entries(routes)) {
    const id = new RegExp(`^${route.replace(':id', '([\\w-]{1,64})')}$`).exec(`${method} ${path}`);
    if (id) return { handler, id: id[1] ?? '' };
  }
  return undefined;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<Answer | undefined> {
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const path = request.url ?? '/';
  let fields: Visit['fields'] | undefined;
  let session: Session | undefined;
  const browser = secretIn(request, BROWSER) ?? newSecret();
  try {
    const url = URL.parse(settings.origin + path);
    if (!url) throw new Fault(404, 'gone');
    if (method === 'POST') fields = await formOf(request);
    const referer = pathWithin(request.headers.referer);
    // The page of a refusal has the address of its form, which is none of a page.
    const from = find(memberRoutes, 'GET', referer.split('?')[0] ?? '') ? referer : '/';
    const visit = { url, id: '', fields: fields ?? {}, browser, from };
    const secret = secretIn(request, SESSION);
    session = secret === undefined ? undefined : sessionOf(secret);
    if (fields?.['text'] && fields['intentId'] && session)
      keep(
        'waiting',
        fields['intentId'],
        browser,
        { actorId: session.actorId, path, fields } satisfies Waiting,
        WAITING_MS,
      );

    const open = find(visitorRoutes, method, url.pathname);
    if (open && !(url.pathname === '/' && session)) {
      const answered = await open.handler({ ...visit, secret });
      if (session && !sessionOf(session.secret)) release(session.id);
      return answered;
    }
    const found = find(memberRoutes, method, url.pathname);
    if (!found && url.pathname !== '/live') throw new Fault(404, 'gone');
    const { copy, news } = heldFor(requireSession(secret ?? ''));
    if (!found)
      return news.join(response, Number(request.headers['last-event-id'] ?? url.searchParams.get('after')));
    const answered = await found.handler(new Member({ ...visit, id: found.id }, copy));
    if (fields?.['intentId']) take('waiting', fields['intentId'], browser);
    return answered;
  } catch (error) {
    if (!(error instanceof Fault)) console.error(error);
    const fault = error instanceof Fault ? error : new Fault(500, 'failed');
    if (fault.status === 401 && session) release(session.id);
    if (!fault.isOpen && fields?.['intentId']) take('waiting', fields['intentId'], browser);
    const { status, retryAfter } = fault;
    return {
      status,
      html: faultPage(fault, { path, fields }),
      ...(retryAfter && { retryAfter }),
      cookies: [cookie(BROWSER, browser)],
    };
  }
}

async function formOf(request: IncomingMessage): Promise<Visit['fields']> {
  // The ports of a host share cookies, and SameSite too takes them for one site.
  if (request.headers.origin !== settings.origin) throw new Fault(403, 'foreign_form');
  if (request.headers['transfer-encoding'] || Number(request.headers['content-length']) > MAX_BODY)
    throw new Fault(413, 'too_long');
  return Object.fromEntries(new URLSearchParams(await bodyOf(request)));
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const asset = assets.get(request.url ?? '');
  if (asset) return void response.writeHead(200, asset.headers).end(asset.body);
  void answer(request, response).then((answered) => {
    if (!answered) return; // a stream
    const { status = 200, html, location, cookies = [], retryAfter } = answered;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (cookies.length > 0) response.setHeader('set-cookie', cookies);
    if (location !== undefined) response.setHeader('location', location);
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    response.writeHead(status).end(html);
  });
}

removeExpired();
setInterval(removeExpired, 3_600_000).unref();
createServer(serve).listen(settings.port, 'localhost', () => console.log(`open ${settings.origin}`));
