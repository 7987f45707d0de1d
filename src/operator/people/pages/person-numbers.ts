import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { namedCase } from '../../console/names.js';
import { counted, numbers, table } from '../../console/tables.js';
import type { CasesAbout } from '../../../../projections/cases/dossier.read-model.js';
import type { AccountDossier } from '../dossiers.js';

type Numbers = NonNullable<AccountDossier['numbers']>;

const DAY_MS = 24 * 60 * 60_000;
const BAR = { width: 8, height: 40 } as const;

/** Posts a day as bars, with the figures as text. */
export function postsPlot({ since, days, isMore }: Numbers): Html {
  const most = Math.max(...days, 1);
  const all = days.reduce((sum, posts) => sum + posts, 0);
  const listed = days.map((posts, n) => ({ posts, at: since + n * DAY_MS })).filter(({ posts }) => posts > 0);
  return html`<figure class="bars">
    <figcaption>
      Published posts a day: ${counted(all, 'posts')} in ${String(days.length)} days, at most
      ${numbers.format(Math.max(...days))} a day${isMore ? '; only the newest 1,000 are counted' : ''}
    </figcaption>
    <svg
      viewBox="0 0 ${String(days.length * BAR.width)} ${String(BAR.height)}"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      ${days.map((posts, n) => {
        const height = Math.round((posts / most) * BAR.height);
        return html`<rect
          x="${String(n * BAR.width)}"
          y="${String(BAR.height - height)}"
          width="${String(BAR.width - 1)}"
          height="${String(height)}"
        />`;
      })}
    </svg>
    ${
      listed.length === 0
        ? undefined
        : html`<details class="small">
            <summary>Figures</summary>
            ${table(
              'Published posts a day',
              ['day', 'posts'],
              listed.map(({ posts, at }) => [dayElement(at), numbers.format(posts)]),
            )}
          </details>`
    }
  </figure>`;
}

const dayWords = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

const dayElement = (at: number): Html =>
  html`<time datetime="${new Date(at).toISOString().slice(0, 10)}">${dayWords.format(at)}</time>`;

const outcomes = {
  waiting: 'waits',
  violation: 'violation',
  no_violation: 'no violation',
  overturned: 'overturned',
} as const;

/** `noun`: of the subject. */
export function casesCard({ newest, isMore }: CasesAbout, noun: string): Html {
  const reports = newest.reduce((sum, each) => sum + each.reports, 0);
  const decided = Object.entries(outcomes).flatMap(([outcome, name]) => {
    const count = newest.filter((each) => each.outcome === outcome).length;
    return count === 0 ? [] : [`${name}: ${numbers.format(count)}`];
  });
  return html`<section class="card" aria-labelledby="cases">
    <h2 id="cases">Cases about this ${noun}</h2>
    ${
      newest.length === 0
        ? html`<p class="quiet">Nobody reported this ${noun}, or the queue is behind.</p>`
        : html`<p>
              ${isMore ? 'The newest ' : ''}${counted(newest.length, 'cases')} with
              ${counted(reports, 'reports')}: ${decided.join(', ')}.
            </p>
            ${table(
              'Cases',
              ['about', 'outcome', 'reports', 'decided or opened'],
              newest.map(({ caseId, outcome, reports: count, at }) => [
                namedCase(caseId),
                outcomes[outcome],
                numbers.format(count),
                timeElement(at),
              ]),
            )}`
    }
  </section>`;
}

/** Numbers alone: who reported is known to the claimer of a case. */
export function reportsLine(by: NonNullable<AccountDossier['reportsBy']>): string {
  const { reports, isMore, waiting, violation, noViolation, overturned } = by;
  return `${isMore ? 'of the newest ' : ''}${numbers.format(reports)}: ${violation} led to a violation, ${noViolation} to none, ${overturned} overturned, ${waiting} wait`;
}
