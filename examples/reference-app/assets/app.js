// Every page works without this script. It adds live news, likes and follows without a new page, and drafts that survive a reload.
const $ = (selector) => document.querySelector(selector);

// A draft is kept with the intent of its form: however its page was left, it is posted once. A page that knows the outcome settles it.
const keyOf = (form) => `draft ${form.dataset.draft}`;
const drafts = () =>
  Object.entries(sessionStorage).map(([key, value]) => {
    const at = value.indexOf(' ');
    return { key, intentId: value.slice(0, at), text: value.slice(at + 1) };
  });

const [, posted] = location.hash.split('#settled-');
if (posted) history.replaceState(null, '', location.pathname + location.search);
for (const { key, intentId } of drafts())
  if (intentId === posted || $(`[data-settled="${intentId}"]`)) sessionStorage.removeItem(key);

const composer = $('[data-draft]');
if (composer) {
  const { intentId, text } = composer.elements;
  const draft = drafts().find(({ key }) => key === keyOf(composer));
  const isSame = ({ elements }) =>
    elements.intentId?.value === draft.intentId && elements.text?.value === draft.text;
  // The browser itself would restore a text with a new intent.
  composer.autocomplete = 'off';
  // A text without an answer is on the page already.
  if (draft?.text && ![...document.forms].some(isSame))
    [intentId.value, text.value] = [draft.intentId, draft.text];
}
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());

document.addEventListener('input', ({ target: { form, value } }) => {
  if (!form?.dataset.draft) return;
  sessionStorage.setItem(keyOf(form), `${form.elements.intentId.value} ${value}`);
  const left = 2_000 - [...value.trim()].length;
  form.querySelector('.left').textContent = left > 200 ? 'Everybody can read it.' : `${left} characters left`;
});

document.addEventListener('submit', (event) => {
  const form = event.target;
  const { intentId: sentId, text: sent } = form.elements;
  // A draft that was changed after it was sent stays, as another text, when the first one is sent again.
  for (const { key, intentId, text } of sent?.type === 'hidden' ? drafts() : [])
    if (intentId === sentId.value && text !== sent.value)
      sessionStorage.setItem(key, `${crypto.randomUUID()} ${text}`);
  // News, such as the end of the session, must not reload a page that is being left.
  if (form.dataset.stay === undefined) return source?.close();
  event.preventDefault();
  void send(form);
});

/** Returns a page with its status. 0: there was no answer. */
async function read(url, options) {
  try {
    const response = await fetch(url, options);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    return [response.status, page, Number(response.headers.get('retry-after')) || 5];
  } catch {
    return [0, undefined, 5];
  }
}

async function send(form) {
  form.ariaBusy = 'true';
  const [status, page] = await read(form.action, {
    method: 'POST',
    body: new URLSearchParams(new FormData(form)),
  });
  form.ariaBusy = 'false';
  // The page stays. Another try sends the same intent: it happens once.
  if (status === 0) showState('The connection is interrupted. Try again.');
  else if (status >= 429)
    showState([...page.querySelectorAll('h1, h1 + p')].map((each) => each.textContent).join('. '));
  else if (status < 400 && show(page)) showState('');
  // Once more as a page, which says what is wrong.
  else form.submit();
}

const topOf = (element) => element.getBoundingClientRect().top;
let shown = 0;

/** Shows what another page has in place of this one's. What people write in stays. False: it is a page of another kind. */
function show(page) {
  const [old, fresh] = [document, page].map((root) => root.querySelectorAll('.live'));
  if (old.length !== fresh.length) return false;
  const { activeElement: focused } = document;
  const [owner, href] = [focused.closest('[id]')?.id, focused.getAttribute('href')];
  const articles = scrollY > 300 ? [...document.querySelectorAll('article')] : [];
  const below = articles.map((each) => [each.id, topOf(each)]).filter(([, top]) => top > 0);
  for (const [at, part] of old.entries()) part.replaceWith(fresh[at]);
  // Neither the focus nor what somebody reads further down moves.
  const again = href ? `#${owner} [href="${CSS.escape(href)}"]:not([tabindex])` : `#${owner}`;
  if (!focused.isConnected) $(again)?.focus({ preventScroll: true });
  const [id, top] = below.find(([each]) => document.getElementById(each)) ?? [];
  if (id) scrollBy(0, topOf(document.getElementById(id)) - top);
  $('.pill').hidden = true;
  shown += 1;
  return true;
}

let [timer, earliest, isReading] = [undefined, 0, false];
function refreshIn(ms) {
  clearTimeout(timer);
  timer = setTimeout(() => void refresh(), Math.max(ms, earliest - Date.now()));
}

/** Reads the page again. While the network is away, what is shown stays. */
async function refresh() {
  if (isReading) return refreshIn(1_000);
  const before = shown;
  isReading = true;
  const [status, page, wait] = await read(location.href);
  isReading = false;
  const isRefused = status === 0 || status >= 429;
  earliest = Date.now() + (isRefused ? wait : 1) * 1_000;
  // A page that was shown meanwhile is newer.
  if (isRefused || shown !== before) refreshIn(0);
  else if (!show(page)) news.ended();
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
    if (!$('form:not([data-draft]) textarea')) return location.reload();
    showState('This page is out of date. Copy what you typed before you send it.');
    after = undefined;
    source?.close();
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
