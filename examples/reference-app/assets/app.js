// Every page works without this script. It adds live news, likes and follows without a new page, and drafts that survive a reload.
const $ = (selector) => document.querySelector(selector);

// A draft is kept with the intent of its form, so that it is posted once, however its page was left, until a page says that it was.
const over = [...document.querySelectorAll('[data-over]')].map(({ dataset }) => dataset.over);
const [, posted] = location.hash.split('#over-');
if (posted) history.replaceState(null, '', location.pathname + location.search);
for (const [key, draft] of Object.entries(sessionStorage))
  if ([posted, ...over].includes(draft.split(' ', 1)[0])) sessionStorage.removeItem(key);

const draftOf = (form) => `draft ${form.dataset.draft}`;
const composer = $('[data-draft]');
const [, intentId, text] =
  /^(\S+) (.*)$/s.exec((composer && sessionStorage.getItem(draftOf(composer))) ?? '') ?? [];
// A text that the network has not confirmed is on the page already.
if (text && !$(`[name=intentId][value="${intentId}"]`))
  [composer.elements.intentId.value, composer.elements.text.value] = [intentId, text];

document.addEventListener('input', ({ target: { form, value } }) => {
  if (!form?.dataset.draft) return;
  sessionStorage.setItem(draftOf(form), `${form.elements.intentId.value} ${value}`);
  const left = 2_000 - [...value.trim()].length;
  form.querySelector('.left').textContent = left > 200 ? 'Everybody can read it.' : `${left} characters left`;
});

document.addEventListener('submit', (event) => {
  const form = event.target;
  // News, such as the end of the session, must not reload a page that is being left.
  if (form.dataset.stay === undefined) return source?.close();
  event.preventDefault();
  void send(form);
});

async function send(form) {
  form.ariaBusy = 'true';
  const body = new URLSearchParams(new FormData(form));
  const response = await fetch(form.action, { method: 'POST', body }).catch(() => undefined);
  const page = parsed((await response?.text()) ?? '');
  form.ariaBusy = 'false';
  // The page stays. Another try sends the same intent: it happens once.
  if (!response || response.status >= 429)
    showState(page.querySelector('h1')?.textContent ?? 'The connection is interrupted.');
  // Once more as a page, which says what is wrong.
  else if (!response.ok || !show(page)) form.submit();
}

const parsed = (html) => new DOMParser().parseFromString(html, 'text/html');
const topOf = (element) => element.getBoundingClientRect().top;

/** Shows what another page has in place of this one's. What people write in stays. False: it is a page of another kind. */
function show(page) {
  const [old, fresh] = [document, page].map((root) => root.querySelectorAll('.live'));
  if (old.length !== fresh.length) return false;
  const { activeElement: focused } = document;
  const [near, href] = [focused.closest('[id]')?.id, focused.getAttribute('href')];
  const read = scrollY > 300 && [...document.querySelectorAll('article')].find((each) => topOf(each) > 0);
  const top = read && topOf(read);
  for (const [at, part] of old.entries()) part.replaceWith(fresh[at]);
  // Neither the focus nor what somebody reads further down moves.
  if (!focused.isConnected) $(`#${near}${href ? ` [href="${href}"]` : ''}`)?.focus({ preventScroll: true });
  const same = read && document.getElementById(read.id);
  if (same) scrollBy(0, topOf(same) - top);
  return true;
}

let [timer, last] = [undefined, 0];
function refreshIn(ms) {
  clearTimeout(timer);
  timer = setTimeout(() => void refresh(), Math.max(ms, last + 1_000 - Date.now()));
}

/** Reads the page again. While the network is away, what is shown stays. */
async function refresh() {
  const started = (last = Date.now());
  const response = await fetch(location.href).catch(() => undefined);
  if (started !== last) return;
  if (!response || response.status >= 429)
    refreshIn(1_000 * (Number(response?.headers.get('retry-after')) || 5));
  else if (!show(parsed(await response.text()))) news.ended();
}

const news = {
  // Nothing moves under somebody who reads further down.
  more: () => (scrollY > 300 ? ($('.pill').hidden = false) : refreshIn(0)),
  // Everybody may be told at once: their requests are spread.
  replace: () => refreshIn(Math.random() * 1_500),
  here: () => showState(''),
  away: () => showState('The network does not answer. This page may be old.'),
  ended() {
    // A text that only this page has: that of a composer is a draft in the browser.
    if ($('form:not([data-draft]) textarea'))
      showState('This page is out of date. Copy what you typed before you send it.');
    else location.reload();
  },
};

function showState(text) {
  $('.state').textContent = text;
  $('.state').hidden = text === '';
}

let [after, source] = [document.body.dataset.after];
function listen() {
  source?.close();
  // A browser opens few connections to a host: a hidden tab gives its own back.
  if (document.hidden || after === undefined) return;
  const opened = (source = new EventSource(`/live?after=${after}`));
  opened.addEventListener('error', () => {
    if ($('.state').hidden) showState('The connection is interrupted. Trying again …');
    if (opened.readyState === EventSource.CLOSED) setTimeout(() => void refresh().then(listen), 5_000);
  });
  for (const [kind, handle] of Object.entries(news))
    opened.addEventListener(kind, ({ lastEventId }) => {
      after = lastEventId || after;
      handle();
    });
}
document.addEventListener('visibilitychange', listen);
listen();
