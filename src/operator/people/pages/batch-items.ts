import { html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { BatchKind } from '../../../domain/batch/events.js';
import { named, namedCase } from '../../console/names.js';
import { numbers } from '../../console/tables.js';
import type { OpenCase } from '../../../../projections/cases/waiting-cases.read-model.js';
import { SAMPLED } from '../../desk/sample.js';

export const itemNamed = (kind: BatchKind, id: string): Html =>
  kind === 'posts' ? named.post(id) : named.person(id);

/** The first of them by name, under what is said of all. Undefined: there are none. */
export function itemList(said: string, items: readonly Html[], isProblem = true): Html | undefined {
  if (items.length === 0) return undefined;
  const more = items.length - SAMPLED;
  return html`${isProblem ? html`<p class="problem">${said}</p>` : html`<p>${said}</p>`}
    <ul class="links">
      ${items.slice(0, SAMPLED).map((item) => html`<li>${item}</li>`)}
    </ul>
    ${more > 0 ? html`<p>and ${numbers.format(more)} more</p>` : undefined}`;
}

/** `cases`: one more than are shown, if there are more. */
export const openCasesList = (cases: readonly OpenCase[]): Html | undefined =>
  cases.length === 0
    ? undefined
    : html`<p>
          ${cases.length > SAMPLED ? `The ${SAMPLED} oldest of the cases` : 'Cases'} about them that nobody
          has decided yet:
        </p>
        <ul class="links">
          ${cases
            .slice(0, SAMPLED)
            .map(
              ({ caseId, targetActorId, reasons }) =>
                html`<li>
                  ${namedCase(caseId)}
                  ${caseId.startsWith('post-') ? html`<code class="id">${caseId.slice(5)}</code> by ${named.person(targetActorId)}` : undefined},
                  reported for ${reasons.join(', ')}
                </li>`,
            )}
        </ul>`;
