import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { pageLayout } from '../../../base/pages/layout.js';
import { quotation } from '../../../base/pages/quotation.js';
import { sentence } from '../pages/own-data.js';
import { scopeInWords } from '../pages/parts.js';
import { fieldMeanings } from './own-events.js';
import type { OwnFact } from './own-facts.js';

/** The meaning of a field is a part of a schema where no other words are here. */
const labels: Readonly<Record<string, string>> = {
  handle: 'the handle',
  revision: 'the version',
  targetActorId: 'the person',
  sourceActorId: 'the person',
  parentAuthorActorId: 'the author of that post',
};
const texts: ReadonlySet<string> = new Set(['text', 'bio', 'notice', 'appeal']);
/** Ids are for programs, and so are lists of them. The heading says the kind. */
const isOmitted = (field: string): boolean => /(?:Id|^ids?|^mentions|^kind)$/.test(field);
const times: ReadonlySet<string> = new Set(['erasesAt', 'worksFrom', 'worksUntil', 'upTo', 'readAt']);

const place = html`<!-- facts -->`;

/**
 * Yields the facts as a page to read, without links, scripts and foreign content: it is opened as a file. It ends with the
 * number of facts, or with the message that `explain` gives.
 */
export async function* pageOf(
  pages: AsyncIterable<readonly OwnFact[]>,
  handle: string,
  explain: (error: unknown) => string,
): AsyncGenerator<string, void> {
  const [begin = '', end = ''] = pageLayout('Your data', place, { wide: true, isFile: true }).split(
    place.text,
  );
  yield begin;
  yield html`<h1>The data of @${handle}</h1>
    <p class="quiet">
      The newest first. If the last line does not say that this is all, the file was cut off.
    </p>`.text;
  let count = 0;
  try {
    for await (const facts of pages) {
      count += facts.length;
      yield facts.map((fact) => factElement(fact).text).join('\n');
    }
    yield html`<p class="card notice">This is all: ${String(count)} entries.</p>`.text;
  } catch (error) {
    yield html`<p class="card problem">${explain(error)}</p>`.text;
  }
  yield end;
}

function factElement(fact: OwnFact): Html {
  const fields = Object.entries(fact.data).filter(([, value]) => value !== '' && value !== null);
  const written = fields.filter(([name]) => texts.has(name));
  const others = fields.filter(([name]) => !texts.has(name) && !isOmitted(name));
  // Somebody whom the person may not see now, such as by a block, has no handle in the heading.
  const nameless = fields.filter(
    ([name, value]) =>
      Object.hasOwn(labels, name) && isOmitted(name) && !Object.hasOwn(fact.handles, String(value)),
  );
  return html`<section class="card">
    <h2>${sentence(fact)}</h2>
    <p class="small quiet">${timeElement(fact.at)}</p>
    ${written.map(([name, value]) => quotation(meaningOf(name), String(value)))}
    ${[...nameless, ...others].map(
      ([name, value]) =>
        html`<p class="small">
          <span class="quiet">${meaningOf(name)}:</span> ${valueElement(name, value)}
        </p>`,
    )}
  </section>`;
}

const meaningOf = (field: string): string => labels[field] ?? fieldMeanings[field] ?? field;

function valueElement(field: string, value: unknown): Html {
  if (times.has(field)) return timeElement(Number(value));
  const values = Array.isArray(value) ? value.map(String) : [String(value)];
  return html`${values.map((each) => (field === 'scopes' ? scopeInWords(each) : each)).join('; ')}`;
}
