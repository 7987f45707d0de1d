import { hiddenField, html, secondElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { pageLayout } from '../../../base/pages/layout.js';
import type { OwnFact } from '../own-data/own-facts.js';
import { wordsOf } from '../own-data/own-events.js';
import { confirmation } from './parts.js';
import type { PasskeyOptions } from './parts.js';

/** `facts` undefined: they cannot be read now. `older`: the address of what was before; undefined: nothing was. */
export interface History {
  readonly facts: readonly OwnFact[] | undefined;
  readonly older: string | undefined;
}

export interface DownloadForm {
  readonly action: string;
  readonly form: string;
  readonly handle: string;
  readonly fault: string | undefined;
  readonly options: PasskeyOptions;
}

export const historyCard = (history: History): Html =>
  html`<section class="card" aria-labelledby="history">
    <h2 id="history">What happened in your name</h2>
    <p class="quiet">
      If you do not know something here, change your password and disconnect the application.
    </p>
    ${factsOf(history, 'All that happened in your name')}
  </section>`;

export const historyPage = (history: History, account: string): string =>
  pageLayout(
    'What happened in your name',
    html`<section class="card" aria-labelledby="history">
      <h1 id="history">What happened in your name</h1>
      <p class="quiet">
        What you did, what applications did for you, and what was decided about you, the newest first. What
        others did is not listed.
      </p>
      ${factsOf(history, 'Older')}
      <p class="aside"><a href="${account}">Your account</a></p>
    </section>`,
    { wide: true },
  );

function factsOf({ facts, older }: History, more: string): Html {
  if (!facts) return html`<p>It cannot be shown right now. Please load the page again in a few seconds.</p>`;
  const list = facts.map(
    (fact) =>
      html`<li>
        ${sentence(fact)}${excerptOf(fact)}<br /><span class="small quiet">${secondElement(fact.at)}</span>
      </li>`,
  );
  return html`${
    list.length === 0
      ? html`<p class="quiet">
          ${older === undefined ? 'Nothing is listed yet.' : 'Nothing among the newest events.'}
        </p>`
      : html`<ul class="links">
          ${list}
        </ul>`
  }
  ${older && html`<p class="aside"><a href="${older}">${more}</a></p>`}`;
}

const EXCERPT = 80;
const graphemes = new Intl.Segmenter('en');

/** The first words of what the person wrote. */
function excerptOf({ data: { text } }: OwnFact): Html | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  const characters = Array.from(graphemes.segment(text.slice(0, 8 * EXCERPT)), ({ segment }) => segment);
  const begin = characters.slice(0, EXCERPT).join('');
  return html`<br /><span class="small">“<bdi>${begin}${begin === text ? '' : '…'}</bdi>”</span>`;
}

/** A fact in the words of its person. Somebody whom they may not see now has no name. */
export function sentence(fact: OwnFact): Html {
  const { data, through, handles, applications } = fact;
  const application = (id: string) => html`<bdi>${applications[id] ?? id}</bdi>`;
  const words = wordsOf(fact);
  const parts = words.split(/(\{\w+\})/).map((part) => {
    const field = /^\{(\w+)\}$/.exec(part)?.[1];
    if (field === undefined) return html`${part}`;
    const id = String(data[field]);
    if (field === 'appId') return application(id);
    const handle = handles[id];
    return html`${handle === undefined ? 'somebody' : `@${handle}`}`;
  });
  const isThrough = through !== undefined && !words.includes('{appId}');
  return html`${parts}${isThrough ? html`, through ${application(through)}` : undefined}.`;
}

export const downloadCard = ({ action, form, handle, fault, options }: DownloadForm): Html =>
  html`<section class="card" aria-labelledby="data">
    <h2 id="data">Download your data</h2>
    <p class="quiet">
      Your profile, your posts with all their versions, your follows, likes and blocks, your inbox, your
      reports, your sign-ins, what applications did for you, and decisions about you. Texts of other people
      are not in it. The file has one JSON text a line, and its last line is a signature of this network:
      without it the file was cut off. You can begin two downloads within a day.
    </p>
    <form method="post" action="${action}">
      ${hiddenField('form', form)}
      ${confirmation({
        name: 'proof',
        label: 'Confirm with your password',
        handle,
        fault,
        options,
        buttons: html`<button type="submit">Download</button>
          <button type="submit" name="format" value="html">Download as a page to read</button>`,
        byPasskey: 'Download with a passkey',
      })}
    </form>
  </section>`;
