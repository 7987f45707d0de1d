import { html, timeElement } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { named } from './names.js';

type Naming = typeof named;

/** An event as its list shows it. `text`: only if the audit hands it out. */
export interface ListedEvent {
  readonly at: number;
  readonly type: string;
  readonly position: number;
  readonly revision: number;
  readonly stream?: string;
  readonly subject: Readonly<Record<string, string>>;
  readonly actorId: string | null;
  readonly appId: string | null;
  readonly operatorId: string | null;
  readonly operator: string | null;
  readonly reason: string | null;
  readonly cause: string | null;
  readonly text?: string | undefined;
  readonly erased?: boolean | undefined;
  readonly undisclosed?: boolean | undefined;
}

/** `by`: how it shows ids. */
export function eventList(events: readonly ListedEvent[], by = named): Html {
  return html`<ol class="listed">
    ${events.map(
      (event) =>
        html`<li>
          <p>
            <strong>${event.type}</strong>
            <span class="quiet small">${timeElement(event.at)}, position ${String(event.position)}</span>
          </p>
          <p class="small">${whoDid(event, by)}${about(event, by)}${through(event, by)}</p>
          ${event.reason === null ? undefined : html`<p class="small">why: <bdi>${event.reason}</bdi></p>`}
          ${event.text === undefined ? undefined : html`<p class="inset"><bdi>${event.text}</bdi></p>`}
          ${event.erased ? html`<p class="small quiet">Its personal fields are erased.</p>` : undefined}
          ${event.undisclosed ? html`<p class="small quiet">Its texts are not shown: they are not public.</p>` : undefined}
          ${stored(event)}
        </li>`,
    )}
  </ol>`;
}

function whoDid({ actorId, operatorId, operator: claimed }: ListedEvent, by: Naming): Html {
  if (operatorId !== null) {
    const says = claimed === null ? undefined : html`, says: <bdi>${claimed}</bdi>`;
    return html`by ${by.operator(operatorId)}${says}`;
  }
  if (claimed !== null) return html`by <bdi>${claimed}</bdi> (claimed)`;
  return actorId === null ? html`by the network` : html`by ${by.person(actorId)}`;
}

/** The ids in the event, but for those that tell who acted, and through which application. */
function about({ subject, actorId, appId, operatorId }: ListedEvent, by: Naming): readonly Html[] {
  return Object.entries(subject)
    .filter(([, id]) => id !== actorId && id !== appId && id !== operatorId)
    .map(([field, id]) => html`, ${field.replace(/Id$/, '')} ${shownId(field, id, by)}`);
}

function shownId(field: string, id: string, by: Naming): Html {
  if (/actorId$/i.test(field)) return by.person(id);
  if (field === 'postId') return by.post(id);
  if (field === 'appId') return by.application(id);
  const place = { grantId: 'grants', batchId: 'batches', caseId: 'cases' }[field];
  return place === undefined ? html`${id}` : html`<a href="/console/${place}/${id}">${id}</a>`;
}

const through = ({ appId }: ListedEvent, by: Naming): Html | undefined =>
  appId === null ? undefined : html`, through ${by.application(appId)}`;

const stored = ({ stream, revision, cause }: ListedEvent): Html =>
  html`<p class="small quiet">
    revision
    ${String(revision)}${stream === undefined ? undefined : html` of <a href="/console/log/${stream}">${stream}</a>`}${
      cause === null ? undefined : html`, as a part of <a href="/console/log/${cause}">${cause}</a>`
    }
  </p>`;
