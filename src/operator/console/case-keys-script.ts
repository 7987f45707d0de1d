/**
 * Runs in the browser: keys for what the queue and the page of a case have links, buttons and fields for. A key presses the element
 * whose `aria-keyshortcuts` names it. A button with `data-waits` is pressed after five seconds, until which it can be taken back.
 */
export const caseKeysScript = `'use strict';
(() => {
  const SECONDS = 5;
  const OFF = 'plaza-keys-off';
  const [status, choice] = document.querySelectorAll('#waiting > p');
  const [sendNow, takeBack] = choice?.querySelectorAll('button') ?? [];
  const active = document.getElementById('active');
  let waiting;
  let isSent = false;
  let activeAt = Date.now();

  const isOn = () => stored()?.getItem(OFF) == null;
  // A browser that keeps nothing throws at the mere name.
  function stored() {
    try {
      return localStorage;
    } catch {
      return undefined;
    }
  }
  const isTyping = (target) => target.isContentEditable || target.matches('textarea, select, input:not([type=radio], [type=checkbox])');
  const isChord = ({ ctrlKey, altKey, metaKey, isComposing }) => ctrlKey || altKey || metaKey || isComposing;

  function endWaiting(text) {
    const { button, timer, from } = waiting;
    waiting = undefined;
    clearInterval(timer);
    button.form.inert = false;
    choice.hidden = true;
    status.textContent = text;
    return { button, from };
  }

  function send() {
    if (!waiting) return;
    const { button } = endWaiting('It is sent.');
    isSent = true;
    button.form.requestSubmit(button);
  }

  function summaryOf({ form, value, dataset }) {
    const reason = new FormData(form).getAll('reason').filter((each) => each.trim() !== '').at(-1);
    const ticked = [...form.querySelectorAll('[name=effects]:checked')].map(({ labels }) => labels[0].firstChild.textContent.trim());
    const effects = value === 'violation' ? '. ' + (ticked.join(', ') || 'No effect') : '';
    return dataset.waits + ': ' + reason + effects + '. It is sent in ' + SECONDS + ' seconds.';
  }

  function wait(button) {
    button.dispatchEvent(new Event('keyed', { bubbles: true }));
    if (!button.form.reportValidity()) return;
    let left = SECONDS;
    const count = () => (choice.querySelector('span').textContent = String(left));
    const timer = setInterval(() => (--left > 0 ? count() : send()), 1000);
    waiting = { button, timer, from: document.activeElement };
    count();
    button.form.inert = true;
    choice.hidden = false;
    status.textContent = summaryOf(button);
    sendNow.focus();
  }

  function withdraw() {
    const { from } = endWaiting('Taken back. Nothing is sent.');
    from.focus();
  }

  function move(step) {
    const rows = [...new Set([...document.querySelectorAll('table a[href^="/console/cases/"]')].map((each) => each.closest('tr')))];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const to = rows[at < 0 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)];
    to?.querySelector('a[href^="/console/cases/"]').focus();
  }

  function press(key) {
    const found = [...document.querySelectorAll('[aria-keyshortcuts]')].find((each) => each.getAttribute('aria-keyshortcuts') === key);
    if (!found?.checkVisibility()) return false;
    if (found.dataset.waits) wait(found);
    else {
      found.focus();
      if (found.form && found.type === 'submit') isSent = true;
      found.click();
    }
    return true;
  }

  const steps = { j: 1, k: -1 };
  document.addEventListener('keydown', (event) => {
    const { key, target, repeat } = event;
    stayActive();
    if (status && !waiting) status.textContent = '';
    if (event.defaultPrevented || repeat || isSent || isChord(event)) return;
    if (waiting) {
      if (key === 'Escape') withdraw();
      return;
    }
    if (!isOn()) return;
    if (isTyping(target)) {
      if (key === 'Escape') target.blur();
      return;
    }
    if (key in steps) move(steps[key]);
    else if (!press(key)) return;
    event.preventDefault();
  });

  // The server counts the load of the page itself.
  function stayActive() {
    if (!active || Date.now() - activeAt < 60000) return;
    activeAt = Date.now();
    void fetch(active.action, { method: 'POST', body: new URLSearchParams(new FormData(active)), redirect: 'manual' });
  }

  sendNow?.addEventListener('click', send);
  takeBack?.addEventListener('click', withdraw);
  // The browser asks. To send at once would decide what the person may be about to take back.
  addEventListener('beforeunload', (event) => waiting && event.preventDefault());
  addEventListener('pageshow', () => (isSent = false));

  for (const form of document.querySelectorAll('form.decision')) {
    const own = form.querySelector('input[name=reason]:not([type=radio])');
    const check = () => {
      const isGiven = new FormData(form).getAll('reason').some((each) => each.trim() !== '');
      own.setCustomValidity(isGiven ? '' : 'Choose a reason, or write one.');
    };
    form.addEventListener('input', check);
    const notice = form.querySelector('[name=notice]');
    const ask = ({ target }) => {
      const isLost = target.closest('button')?.value === 'no_violation' && notice.value.trim() !== '';
      notice.setCustomValidity(isLost ? 'A text is for a violation: empty it, or decide a violation.' : '');
    };
    form.addEventListener('click', ask);
    form.addEventListener('keyed', ask);
    check();
  }

  const turnedOn = document.getElementById('keys-on');
  if (turnedOn) {
    turnedOn.closest('div').hidden = false;
    turnedOn.checked = isOn();
    turnedOn.addEventListener('change', () => (turnedOn.checked ? stored()?.removeItem(OFF) : stored()?.setItem(OFF, 'true')));
  }

  // The way back to this page does not say again what was done.
  const here = new URL(location.href);
  if (here.searchParams.has('done')) {
    here.searchParams.delete('done');
    history.replaceState(history.state, '', here);
  }

  // After an act, work goes on with what the page is about.
  if (document.querySelector('.notice')) document.querySelector('h1[tabindex]')?.focus();
})();
`;
