import { html } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { subjectIn } from '../../../domain/case/subject.js';
import { firstOf } from '../../console/items.js';
import { named, namedCase } from '../../console/names.js';
import type { OpenCase } from '../../../../projections/cases/waiting-cases.read-model.js';
import { SAMPLED } from '../../desk/sample.js';

/** The first of them by name, under what is said of all. Undefined: there are none. */
export function itemList(said: string, items: readonly Html[], isProblem = true): Html | undefined {
  if (items.length === 0) return undefined;
  return html`${isProblem ? html`<p class="problem">${said}</p>` : html`<p>${said}</p>`}
  ${firstOf(items.slice(0, SAMPLED), items.length)}`;
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
                  ${namedCase(caseId)} ${authorOf(caseId, targetActorId)}, reported for ${reasons.join(', ')}
                </li>`,
            )}
        </ul>`;

/** A restricted post has no words, so its id tells it from others. */
function authorOf(caseId: string, authorActorId: string): Html | undefined {
  const { kind, id } = subjectIn(caseId);
  return kind === 'post' ? html`<code class="id">${id}</code> by ${named.person(authorActorId)}` : undefined;
}
