import { html, secondElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { Disclosed } from '../disclose.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { named } from '../../console/names.js';
import { verbOf } from '../../desk/sentences.js';
import { facts } from '../../console/parts.js';

/** Personal texts, as the only answer to the form that recorded their disclosure. */
export function disclosedPage(frame: Frame, disclosed: readonly Disclosed[]): string {
  const content = html`<section class="card" aria-labelledby="disclosed">
    <h1 id="disclosed">Disclosed texts</h1>
    <p>They are shown only now. The disclosure is recorded under your name.</p>
    <ol class="listed">
      ${disclosed.map(
        ({ eventId, type, at, actorId, erased, texts }) =>
          html`<li>
            <strong>${verbOf(type)}</strong> <span class="quiet small">${secondElement(at)}</span>
            <p class="small">${personOf(type, actorId)}event <code>${eventId}</code></p>
            ${
              erased
                ? html`<p class="quiet">Erased: nobody can read it any more.</p>`
                : facts(Object.entries(texts).map(([field, value]) => [field, valueOf(value)]))
            }
          </li>`,
      )}
    </ol>
  </section>`;
  return consolePage('Disclosed texts', content, frame);
}

/** The claimer of the case alone learns who reported (docs/adr/0029-cases.md). */
const personOf = (type: string, actorId: string): Html | undefined =>
  type === 'report.created' ? undefined : html`of ${named.person(actorId)}, `;

const valueOf = (value: unknown): Html =>
  html`<bdi>${typeof value === 'string' ? value : JSON.stringify(value)}</bdi>`;
