import { html, secondElement } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { capitalized } from '../../base/support/capitalized.js';
import { doerIdOf, sentenceOf } from '../desk/sentences.js';
import type { Noun, Part } from '../desk/sentences.js';
import { kindsOf } from './event-kinds.js';
import { named, namedCase, nameOf } from './names.js';
import { asStored, placeOf } from './stored-event.js';
import type { ListedEvent } from './stored-event.js';

/** Events as sentences with names. */
export const eventList = (events: readonly ListedEvent[]): Html =>
  list(events.map((event) => sentenceItem(event)));

/** Events as the log has them, with ids. */
export const storedEventList = (events: readonly ListedEvent[]): Html =>
  list(events.map((event) => eventItem(event, asStored(event), placeOf(event))));

const list = (items: readonly Html[]): Html =>
  html`<ol class="listed">
    ${items}
  </ol>`;

/** Events by kind, such as `followed 12 people` with the list of them. `about`: the id of the subject of all. */
export const eventsByKind = (events: readonly ListedEvent[], about: string): Html =>
  list(
    kindsOf(events, about).map(({ summary, events: [first, ...others] }) =>
      others.length === 0
        ? sentenceItem(first, about)
        : html`<li>
            <details>
              <summary>
                ${summary.map(bareName)} <span class="quiet small">${secondElement(first.at)}</span>
              </summary>
              ${list([first, ...others].map((event) => sentenceItem(event, about)))}
            </details>
          </li>`,
    ),
  );

const sentenceItem = (event: ListedEvent, about?: string): Html =>
  eventItem(event, asSentence(event, about), idsOf(event));

const eventItem = (event: ListedEvent, said: Html, place: Html): Html =>
  html`<li>
    ${said} ${event.reason === null ? undefined : html`<p class="small">why: <bdi>${event.reason}</bdi></p>`}
    ${event.text === undefined ? undefined : html`<p class="inset"><bdi>${event.text}</bdi></p>`}
    ${event.erased ? html`<p class="small quiet">Its personal fields are erased.</p>` : undefined}
    ${event.undisclosed ? html`<p class="small quiet">Its texts are not shown: they are not public.</p>` : undefined}
    ${place}
  </li>`;

/** `about`: a person whose name need not stand in each of their acts. */
function asSentence(event: ListedEvent, about: string | undefined): Html {
  const sentence = sentenceOf(event);
  const [act, ...others] = sentence.slice(2);
  const isOwn = about !== undefined && doerIdOf(event) === about && typeof act === 'string';
  const parts = isOwn ? [capitalized(act), ...others] : sentence;
  return html`<p>
    ${parts.map(shownPart)}
    <span class="quiet small">${secondElement(event.at)}</span>
  </p>`;
}

const shownPart = (part: Part): Html =>
  typeof part === 'string' ? html`${part}` : shownNouns[part.noun](part.id);

/** Without a link: a summary opens and closes. */
function bareName(part: Part): Html {
  if (typeof part === 'string') return html`${part}`;
  const { noun, id } = part;
  return html`<bdi>${noun === 'person' || noun === 'operator' ? nameOf[noun](id) : id}</bdi>`;
}

const linkTo =
  (place: string) =>
  (id: string): Html =>
    html`<a href="/console/${place}/${id}"><code class="id">${id}</code></a>`;

const shownNouns: Readonly<Record<Noun, (id: string) => Html>> = {
  ...named,
  case: namedCase,
  grant: linkTo('grants'),
  batch: linkTo('batches'),
  approval: linkTo('approvals'),
  job: linkTo('jobs'),
  claimed: (name) => html`<bdi>${name}</bdi>`,
};

/** To copy. The ids of people and posts stand beside their names. */
const idsOf = (event: ListedEvent): Html =>
  html`<details class="small quiet">
    <summary>Where it is stored</summary>
    ${event.eventId === undefined ? undefined : html`<p>event <code>${event.eventId}</code></p>`}
    <p>position ${String(event.position)}</p>
    ${placeOf(event)}
  </details>`;
