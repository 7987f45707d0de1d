import { html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';

/** The key of a button or field, which src/operator/console/case-keys-script.ts presses by `aria-keyshortcuts`. */
export const shortcut = (key: string): Html => html`aria-keyshortcuts="${key}"`;

/** For the eye alone: the attribute says it to others. */
export const keycap = (key: string): Html => html`<kbd aria-hidden="true">${key}</kbd>`;

const keys = [
  ['j, k', 'next and previous row of the queue; Enter opens it'],
  ['c', 'claim the case; in the queue, claim the next one'],
  ['n', 'leave this case to others, and claim the next one'],
  ['1 to 9', 'choose a reason'],
  ['r, s', 'tick or untick an effect: restrict the post, suspend the account'],
  ['v', 'violation, then the next case'],
  ['d', 'no violation, then the next case'],
  ['u, o', 'uphold or overturn the decision that is appealed, then the next case'],
  ['Enter', 'send at once what waits'],
  ['Escape', 'take it back; in a field, leave the field'],
  ['?', 'open or close this list'],
] as const;

/** The list of keys with the switch that turns them off (WCAG 2.2, 2.1.4). */
export const keyList = html`<details class="keys">
  <summary ${shortcut('?')}>Keys ${keycap('?')}</summary>
  <dl class="facts">
    ${keys.map(
      ([key, meaning]) =>
        html`<div>
          <dt><kbd>${key}</kbd></dt>
          <dd>${meaning}</dd>
        </div>`,
    )}
  </dl>
  <p class="small quiet">
    They do nothing in a field for text. A decision by key is sent after five seconds, and can be taken back
    until then.
  </p>
  <div hidden>
    <p class="choice">
      <input type="checkbox" id="keys-on" /> <label for="keys-on">Keys are on, in this browser</label>
    </p>
  </div>
  <noscript><p class="small">Keys need JavaScript. The buttons work without.</p></noscript>
</details>`;

/** A decision by key, while it can be taken back. */
export const waitingBar = html`<div class="waiting" id="waiting">
  <p role="status"></p>
  <p hidden>
    <span aria-hidden="true"></span>
    <button class="main" type="button">Send now</button>
    <button type="button">Take back</button>
  </p>
</div>`;
