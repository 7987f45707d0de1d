/** The pages without a session: the welcome, and the ways into a session and out of it. */
import { release } from '../live.ts';
import { markup } from '../markup.ts';
import { authorityOf } from '../network.ts';
import { beginLogin, completeLogin, endSessionUrl } from '../oauth.ts';
import { createSession, forgetSession } from '../sessions.ts';
import { settings } from '../settings.ts';
import { BROWSER, cookie, goTo, pathWithin, type Routes, SESSION, type Visit } from '../visit.ts';
import { signIn } from './faults.ts';
import { icon, plain } from './layout.ts';

export function welcome({ url }: Visit) {
  const notice = markup`<p class="notice" role="status">You are signed out here. If others use this browser,
<a href="${endSessionUrl}">sign out of the network</a>, too.</p>`;
  const content = markup`<div class="welcome"><p class="brand">${icon('mark')}<span>Fountain</span></p>
${url.search === '?signed-out' && notice}<h1>Talk in the open.</h1>
<p class="lead">Fountain is a small place to meet the people of <a href="${settings.baseUrl}">this network</a>: follow them, answer
them, say what you see.</p>${signIn('Sign in or join')}
<ul><li>${icon('home')}<div><h2>Your people, in order</h2><p>The newest first. Nothing is sorted for you.</p></div></li>
<li>${icon('reply')}<div><h2>Live</h2><p>Posts and replies appear while you read.</p></div></li>
<li>${icon('key')}<div><h2>Yours</h2><p>You sign in at the network, and your password never comes here.</p></div></li></ul></div>`;
  return { html: plain('Talk in the open', content) };
}

function leave(secret: string): void {
  forgetSession(secret);
  release(secret);
}

export const visitorRoutes: Routes = {
  'POST /login': async ({ browser, field }) => {
    const returnTo = field('returnTo').length > 2_000 ? '/' : pathWithin(field('returnTo'));
    return goTo(await beginLogin(browser, returnTo), cookie(BROWSER, browser));
  },
  // Nothing that was in the browser before becomes a session: it gets a new secret.
  'GET /callback': async ({ browser, url, secret }) => {
    const [tokens, returnTo] = await completeLogin(browser, url);
    const session = createSession(await authorityOf(tokens), tokens);
    leave(secret);
    return goTo(returnTo, cookie(SESSION, session));
  },
  'POST /logout': ({ secret }) => {
    leave(secret);
    return goTo('/?signed-out', cookie(SESSION, ''));
  },
};
