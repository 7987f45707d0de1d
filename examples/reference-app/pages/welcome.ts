/** What is served without a session: the welcome, and the ways into a session and out of it. */
import { markup } from '../markup.ts';
import { authorityOf } from '../network.ts';
import { beginLogin, completeLogin, revoke, signOutAddress } from '../oauth.ts';
import { createSession, forgetSession, freshSession } from '../sessions.ts';
import { settings } from '../settings.ts';
import { BROWSER, cookie, goTo, pathWithin, type Routes, SESSION, type Visit } from '../visit.ts';
import { signIn } from './faults.ts';
import { icon, plain } from './layout.ts';

const promises = [
  ['home', 'Your people, in order', 'The newest first. Nothing is sorted for you.'],
  ['reply', 'Live', 'Posts and replies appear while you read.'],
  ['key', 'Yours', 'You sign in at the network, and your password never comes here. Leave with one click.'],
] as const;

function welcome({ url }: Visit) {
  const notice = {
    '?signed-out': markup`You are signed out here. <a href="${signOutAddress()}">Sign out of the network, too</a>, if others use this browser.`,
    '?disconnected': markup`This application is disconnected. Your posts stay on the network.`,
  }[url.search];
  const content = markup`<div class="welcome"><p class="brand">${icon('mark')}<span>Fountain</span></p>
${notice && markup`<p class="notice" role="status">${notice}</p>`}
<h1>Talk in the open.</h1><p class="lead">Fountain is a small place to meet the people of <a href="${settings.baseUrl}">this network</a>: follow them, answer them, say
what you see.</p>${signIn('Sign in or join')}
<ul>${promises.map(([name, title, text]) => markup`<li>${icon(name)}<div><h2>${title}</h2><p>${text}</p></div></li>`)}</ul></div>`;
  return { html: plain('Talk in the open', content) };
}

async function login({ browser, fields }: Visit) {
  return goTo(await beginLogin(browser, pathWithin(fields['returnTo'])), cookie(BROWSER, browser));
}

/** Nothing that was in the browser before becomes a session: it gets a new secret. */
async function callback({ browser, url, secret }: Visit) {
  const { tokens, returnTo } = await completeLogin(browser, url);
  const session = createSession(await authorityOf(tokens), tokens);
  if (secret !== undefined) forgetSession(secret);
  return goTo(returnTo, cookie(SESSION, session));
}

function logout({ secret }: Visit) {
  if (secret !== undefined) forgetSession(secret);
  return goTo('/?signed-out', cookie(SESSION));
}

async function disconnect({ secret = '' }: Visit) {
  const { tokens } = await freshSession(secret);
  await revoke(tokens);
  forgetSession(secret);
  return goTo('/?disconnected', cookie(SESSION));
}

export const visitorRoutes: Routes<Visit> = {
  'GET /': welcome,
  'GET /callback': callback,
  'POST /login': login,
  'POST /logout': logout,
  'POST /disconnect': disconnect,
};
