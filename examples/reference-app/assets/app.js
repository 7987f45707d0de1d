// Every page works without this script. It adds live news, likes without a new page, and drafts that survive a reload.
const $ = (selector, root = document) => root.querySelector(selector);
const pageOf = (html) => new DOMParser().parseFromString(html, 'text/html');

function enhance(root) {
  for (const time of root.querySelectorAll('time'))
    time.title = new Date(time.dateTime).toLocaleString(undefined, {
      dateStyle: 'medium',
      timeStyle: 'short',
    });
  const text = $('[data-draft] textarea', root);
  if (text && !text.value) text.value = sessionStorage.getItem(draftOf(text)) ?? '';
  if (text) count(text);
}

const draftOf = (text) => `draft ${text.form.dataset.draft}`;
function count(text) {
  const counter = $('[data-count]', text.form);
  const left = Number(counter.dataset.count) - [...text.value.trim()].length;
  counter.textContent = left > 200 ? 'Everybody can read it.' : `${left} characters left`;
  counter.classList.toggle('wrong', left < 0);
}

document.addEventListener('input', ({ target }) => {
  if (!target.form?.dataset.draft) return;
  sessionStorage.setItem(draftOf(target), target.value);
  count(target);
});

document.addEventListener('keydown', ({ target, key, ctrlKey, metaKey }) => {
  if (key === 'Enter' && (ctrlKey || metaKey) && target.matches('textarea')) target.form.requestSubmit();
  if (key === 'Escape') closeMenus();
});

function closeMenus(except) {
  for (const menu of document.querySelectorAll('details[open]')) if (menu !== except) menu.open = false;
}

document.addEventListener('submit', (event) => {
  const form = event.target;
  const { draft, swap } = form.dataset;
  if (draft) sessionStorage.removeItem(`draft ${draft}`);
  // News, such as the end of the session, must not reload a page that is being left.
  if (!swap) return source?.close();
  event.preventDefault();
  void send(form, swap);
});

/** Sends a form, and replaces one element by that of the next page. */
async function send(form, selector) {
  const pressed = $('[aria-pressed]', form);
  pressed.setAttribute('aria-pressed', String(pressed.getAttribute('aria-pressed') === 'false'));
  const body = new URLSearchParams(new FormData(form));
  const response = await fetch(form.action, { method: 'POST', body }).catch(() => undefined);
  const fresh = response?.ok ? $(selector, pageOf(await response.text())) : undefined;
  // Once more as a page, which says what is wrong. The form has the same intent: it happens once.
  if (!fresh) return form.submit();
  $(selector)?.replaceWith(fresh);
  enhance(fresh);
  $('[aria-pressed]', fresh).focus();
}

/** A text that only this page has: that of a composer is a draft in the browser. */
const isEditing = () => $('form:not([data-draft]) textarea') !== null;
const leave = () =>
  isEditing() ? say('This page is out of date. What you send is kept.') : location.reload();

/** Reads the page again, and shows what is left of it. While the network is away, what is shown stays. */
let retry;
async function refresh() {
  clearTimeout(retry);
  const response = await fetch(location.href).catch(() => undefined);
  if (!response || response.status >= 429) return void (retry = setTimeout(refresh, 5_000));
  const fresh = $('.shell', pageOf(await response.text()));
  if (!response.ok || !fresh) return leave();
  const typing = document.activeElement?.id;
  for (const part of isEditing() ? ['.badge'] : ['main', '.badge']) $(part).replaceWith($(part, fresh));
  enhance($('main'));
  if (typing) document.getElementById(typing)?.focus();
}

const held = [];
const news = {
  post({ html, isNew }) {
    const card = pageOf(html).body.firstElementChild;
    const [shown, list] = [document.getElementById(card.id), $('.posts')];
    const [by, id] = (list?.dataset.live ?? '').split(' ');
    enhance(card);
    card.classList.toggle('fresh', !shown);
    if (shown?.classList.contains('lead')) card.classList.add('lead');
    if (shown) shown.replaceWith(card);
    else if (!isNew || (by !== 'all' && card.dataset[by] !== id)) return;
    else if (by === 'parent') list.append(card);
    else if (scrollY > 300) hold(card);
    else list.prepend(card);
    $('.posts ~ .empty')?.remove();
  },
  gone: (id) => document.getElementById(`post-${id}`)?.remove(),
  unread(number) {
    $('.badge').hidden = number === 0;
    $('.badge b').textContent = number > 99 ? '99+' : number;
  },
  // Everybody may be told at once: their requests are spread.
  replace: () => setTimeout(refresh, Math.random() * 1_500),
  network: (state) => say(state === 'here' ? '' : 'The network does not answer. This page may be old.'),
  ended: leave,
};

/** New posts above what is being read wait for a click, so that nothing moves under the reader. */
function hold(card) {
  held.unshift(card);
  const pill = $('.pill');
  pill.hidden = false;
  pill.textContent = held.length === 1 ? '1 new post' : `${held.length} new posts`;
}

document.addEventListener('click', ({ target }) => {
  closeMenus(target.closest('details'));
  if (!target.matches('.pill')) return;
  $('.posts').prepend(...held.splice(0));
  target.hidden = true;
  scrollTo({ top: 0 });
});

function say(text) {
  $('.state').textContent = text;
  $('.state').hidden = text === '';
}

let [after, source] = [document.body.dataset.after];
function listen() {
  source?.close();
  source = undefined;
  // A browser opens few connections to a host: a hidden tab gives its own back.
  if (document.hidden || after === undefined) return;
  const opened = (source = new EventSource(`/live?after=${after}`));
  opened.addEventListener('open', () => say(''));
  opened.addEventListener('error', () => {
    say('The connection is interrupted. Trying again …');
    if (opened.readyState === EventSource.CLOSED) setTimeout(() => void refresh().then(listen), 5_000);
  });
  for (const [kind, show] of Object.entries(news))
    opened.addEventListener(kind, ({ data, lastEventId }) => {
      if (lastEventId) after = lastEventId;
      show(JSON.parse(data));
    });
}
document.addEventListener('visibilitychange', listen);
enhance(document);
listen();
