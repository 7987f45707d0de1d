/** A complete application for Plaza: signs people in, shows their profile, posts for them. See README.md here. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text as bodyOf } from 'node:stream/consumers';
import * as oidc from 'openid-client';

const { BASE_URL = 'http://localhost:3000', CLIENT_ID, CLIENT_SECRET, PORT = '8080' } = process.env;
const { ORIGIN = `http://localhost:${PORT}` } = process.env; // the application's address for browsers
const missing = ['CLIENT_ID', 'CLIENT_SECRET'].find((name) => !process.env[name]);
if (missing) process.exit(console.error(`${missing} is not set; README.md says where it comes from`) ?? 2);
const SCOPES = ['openid', 'offline_access', 'read', 'post:create'];
// The library checks ID token signatures only on request. Plain http is for a network on one's own machine.
const execute = [oidc.enableNonRepudiationChecks];
if (BASE_URL.startsWith('http:')) execute.push(oidc.allowInsecureRequests);
const [issuer, basic] = [new URL(`${BASE_URL}/api/auth`), oidc.ClientSecretBasic(CLIENT_SECRET)];
const away = ({ message }) => process.exit(console.error(`BASE_URL ${BASE_URL}: ${message}`) ?? 2);
const client = await oidc.discovery(issuer, CLIENT_ID, undefined, basic, { execute }).catch(away);
/** A browser's state by its secret cookie: `logins` by OAuth state, and `tokens` after sign-in. */
const browsers = new Map();
const secure = ORIGIN.startsWith('https:') ? 'Secure; ' : '';
function remember(browser) {
  const id = randomBytes(32).toString('base64url');
  browsers.set(id, browser);
  setTimeout(() => browsers.delete(id), 3_600_000).unref();
  return `minimal_client=${id}; ${secure}HttpOnly; SameSite=Lax; Path=/; Max-Age=3600`;
}
/** Ends a request with a page. A 401 also ends the session; after `retryAfter` seconds a retry may succeed. */
function fail(status, message, retryAfter) {
  throw Object.assign(new Error(message), { status, retryAfter });
}
const lost = () => fail(503, 'The network gave no answer: it may have done what you asked for, or not.', '5');
async function login({ id, browser }) {
  const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
  const code_challenge = await oidc.calculatePKCECodeChallenge(verifier);
  const [redirect_uri, scope] = [`${ORIGIN}/callback`, SCOPES.join(' ')];
  const flow = { code_challenge, code_challenge_method: 'S256', prompt: 'consent' };
  const address = oidc.buildAuthorizationUrl(client, { redirect_uri, scope, state, nonce, ...flow });
  browser.logins.set(state, { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce });
  setTimeout(() => browser.logins.delete(state), 600_000).unref();
  return goTo(address.href, ...(browsers.has(id) ? [] : [remember(browser)])); // another tab may be signing in too
}
async function callback({ id, browser: { logins }, url }) {
  const state = url.searchParams.get('state');
  const checks = logins.get(state) ?? fail(400, 'This sign-in has ended. Begin again.');
  // Deleted first: a login has only one callback.
  logins.delete(state);
  const refused = ({ error, code }) => fail(400, `You are not signed in (${error ?? code}). Begin again.`);
  const tokens = await oidc.authorizationCodeGrant(client, url, checks).catch(refused);
  browsers.delete(id); // a session gets a new cookie; logins of other tabs move along
  return goTo('/', remember(await bind({ tokens, logins })));
}

/** Binds a session to its actor, application, grant and scopes, and checks them on every visit. */
async function bind(session) {
  if (!session.tokens) fail(401, 'Your session has ended.');
  const { actorId, appId, grantId, scopes, incarnation } = await call(session, '/api/session');
  const authority = JSON.stringify([actorId, appId, grantId, scopes, incarnation]);
  const asAsked = appId === CLIENT_ID && scopes.every((scope) => SCOPES.includes(scope));
  if (!asAsked || authority !== (session.authority ??= authority)) fail(401, 'This session is not valid.');
  return session;
}

/** Sends a request for the person; after a 401 once more, identically, with new tokens. */
function call(session, path, body) {
  const { tokens } = session;
  return send(tokens, path, body).catch(async (error) => {
    if (error.status !== 401) throw error;
    // Concurrent requests share one refresh. A failed refresh stays failed.
    if (session.tokens === tokens) await (session.refreshing ??= refresh(session));
    return send(session.tokens, path, body);
  });
}

async function refresh(session) {
  // A refresh token that may be spent is never sent again, even if the outcome is unknown.
  const uncertain = () => fail(401, 'The network asks you to sign in again.');
  session.tokens = await oidc.refreshTokenGrant(client, session.tokens.refresh_token ?? '').catch(uncertain);
  session.refreshing = undefined;
}

async function send({ access_token }, path, body) {
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
  const request = { method: body ? 'POST' : 'GET', headers, signal: AbortSignal.timeout(10_000) };
  const response = await fetch(BASE_URL + path, { ...request, body: JSON.stringify(body) }).catch(lost);
  const answer = await response.json().catch(lost);
  const { error, message } = answer;
  if (!response.ok) fail(response.status, `${message} (${error})`, response.headers.get('retry-after'));
  return answer;
}

async function home({ browser }) {
  if (!browser.tokens) return page('Minimal client', form('/login', 'Sign in'));
  const { profile } = await call(await bind(browser), '/api/profile');
  // The intent belongs to the form: repeated submissions create one post.
  const intent = `<input type="hidden" name="intentId" value="${randomUUID()}">`;
  const draft = form('/posts', 'Post', `${intent}<textarea name="text"></textarea>`);
  return page(profile.displayName, draft + form('/logout', 'Sign out') + form('/disconnect', 'Disconnect'));
}

async function post({ browser, fields: { intentId, text = '' } }) {
  const lines = text.replaceAll('\r\n', '\n'); // browsers send CRLF
  await call(await bind(browser), '/api/posts', { intentId, text: lines, audience: 'public' });
  return goTo('/');
}

/** Ends the session here. Only `disconnect` revokes the application's grant. */
function logout({ id }) {
  browsers.delete(id);
  return goTo('/');
}
async function disconnect(visit) {
  const { tokens } = await bind(visit.browser);
  await oidc.tokenRevocation(client, tokens.refresh_token ?? tokens.access_token).catch(lost);
  return logout(visit);
}
const form = (to, does, more = '') => `<form method=post action=${to}>${more}<button>${does}</button></form>`;
const goTo = (location, ...cookies) => ({ status: 303, headers: { location, 'set-cookie': cookies } });
function page(text, forms, status = 200, headers = {}) {
  const title = text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return { status, headers, html: `<!doctype html><title>${title}</title><h1>${title}</h1>${forms}` };
}
const pages = { 'GET /': home, 'GET /callback': callback, 'POST /login': login, 'POST /posts': post };
Object.assign(pages, { 'POST /logout': logout, 'POST /disconnect': disconnect });
async function answer(request) {
  const { method, url, headers } = request;
  const [, id] = /(?:^|; )minimal_client=([\w-]+)/.exec(headers.cookie ?? '') ?? [];
  try {
    if (method === 'POST' && headers.origin !== ORIGIN) fail(403, 'This form came from another site.');
    if (headers['transfer-encoding'] || headers['content-length'] > 65_536) fail(413, 'That is too long.');
    const fields = Object.fromEntries(new URLSearchParams(await bodyOf(request)));
    const browser = browsers.get(id) ?? { logins: new Map() };
    const visit = { id, browser, url: new URL(ORIGIN + url), fields };
    const handler = pages[`${method} ${visit.url.pathname}`] ?? fail(404, 'There is nothing here.');
    return await handler(visit);
  } catch (error) {
    if (!error.status) console.error(error);
    const { status, message, retryAfter } = error.status ? error : { status: 500, message: 'This failed.' };
    if (status === 401) browsers.delete(id);
    // With this header a reload helps: it sends the identical request again.
    return page(message, '<a href="/">Back</a>', status, retryAfter && { 'retry-after': retryAfter });
  }
}
createServer((request, response) => {
  void answer(request).then(({ status, headers, html }) => {
    response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
    response.setHeader('content-type', 'text/html; charset=utf-8').setHeader('cache-control', 'no-store');
    response.writeHead(status, headers).end(html);
  });
}).listen(PORT, 'localhost', () => console.log(`open ${ORIGIN}`));
