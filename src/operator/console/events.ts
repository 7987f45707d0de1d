import { html, timeElement } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { identities } from '../desk/who.js';

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

type Names = Readonly<Record<string, string>>;

/** `names`: of applications and operators, by id. */
export function eventList(events: readonly ListedEvent[], names: Names = {}): Html {
  return html`<ol class="listed">
    ${events.map(
      (event) =>
        html`<li>
          <p>
            <strong>${event.type}</strong>
            <span class="quiet small">${timeElement(event.at)}, position ${String(event.position)}</span>
          </p>
          <p class="small">${whoDid(event, names)}${about(event)}${through(event, names)}</p>
          ${event.reason === null ? undefined : html`<p class="small">why: <bdi>${event.reason}</bdi></p>`}
          ${event.text === undefined ? undefined : html`<p class="inset"><bdi>${event.text}</bdi></p>`}
          ${event.erased ? html`<p class="small quiet">Its personal fields are erased.</p>` : undefined}
          ${event.undisclosed ? html`<p class="small quiet">Its texts are not shown: they are not public.</p>` : undefined}
          ${stored(event)}
        </li>`,
    )}
  </ol>`;
}

function whoDid({ actorId, operatorId, operator }: ListedEvent, names: Names): Html {
  if (operatorId !== null) {
    const identity = identities[operatorId];
    const says = operator === null ? undefined : html`, says: <bdi>${operator}</bdi>`;
    return html`by
    ${identity === undefined ? 'operator ' : ''}${operatorLink(operatorId, identity ?? names[operatorId])}${says}`;
  }
  if (operator !== null) return html`by <bdi>${operator}</bdi> (claimed)`;
  return actorId === null ? html`by the network` : html`by ${account(actorId)}`;
}

export const operatorLink = (id: string, name: string | null = null): Html =>
  html`<a href="/console/audit?q=operator:${id}"><bdi>${name ?? id}</bdi></a>`;

const account = (id: string): Html => html`<a href="/console/accounts/${id}">${id}</a>`;

/** The ids in the event, but for those that tell who acted, and through which application. */
function about({ subject, actorId, appId, operatorId }: ListedEvent): readonly Html[] {
  return Object.entries(subject)
    .filter(([, id]) => id !== actorId && id !== appId && id !== operatorId)
    .map(([field, id]) => {
      const place = placeOf(field);
      const shown = place === undefined ? html`${id}` : html`<a href="/console/${place}/${id}">${id}</a>`;
      return html`, ${field.replace(/Id$/, '')} ${shown}`;
    });
}

function placeOf(field: string): string | undefined {
  if (/actorId$/i.test(field)) return 'accounts';
  return { postId: 'posts', appId: 'applications', grantId: 'grants', batchId: 'batches', caseId: 'cases' }[
    field
  ];
}

const through = ({ appId }: ListedEvent, names: Names): Html | undefined =>
  appId === null
    ? undefined
    : html`, through <a href="/console/applications/${appId}"><bdi>${names[appId] ?? appId}</bdi></a>`;

const stored = ({ stream, revision, cause }: ListedEvent): Html =>
  html`<p class="small quiet">
    revision
    ${String(revision)}${stream === undefined ? undefined : html` of <a href="/console/log/${stream}">${stream}</a>`}${
      cause === null ? undefined : html`, as a part of <a href="/console/log/${cause}">${cause}</a>`
    }
  </p>`;
