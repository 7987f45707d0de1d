import { html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import { quotation } from '../../../base/pages/quotation.js';
import { DECIDED, POSTS } from '../case-evidence.js';
import type { CaseView } from '../case-view.js';
import { named, namedCase, quotedPost } from '../../console/names.js';
import { state } from '../../console/parts.js';
import { counted } from '../../console/tables.js';
import { effectNames, outcomeNames, reasonCounts } from './case-words.js';

interface Shown {
  readonly text?: string | undefined;
  readonly erased?: boolean | undefined;
}

/** Undefined: it has no text. */
export function textOf(label: Html | string, { text, erased }: Shown): Html | undefined {
  if (erased) return html`<p class="quiet">${label}: erased with the account.</p>`;
  return text === undefined || text === '' ? undefined : quotation(label, text);
}

/** The post below its thread, or the profile. */
export function subjectPart(shown: CaseView): Html {
  const { post, profile, postId, isMine } = shown;
  const profileText = profile ? textOf('Profile', profile) : undefined;
  const about =
    postId === undefined
      ? profileText
      : html`${threadAbove(shown)}
        ${post ? versions(post) : html`<div class="inset">${quotedPost(postId)}</div>`}
        ${
          profileText &&
          html`<details class="act">
            <summary>Profile of the author</summary>
            ${profileText}
          </details>`
        }`;
  return html`${about}
  ${isMine ? undefined : html`<p class="quiet">Texts that are not public are shown to the operator who has claimed it, which is recorded.</p>`}`;
}

function threadAbove({ evidence: { thread } }: CaseView): readonly Html[] {
  return thread.map(
    ({ postId, authorActorId }, n) =>
      html`<figure class="inset">
        <figcaption class="small quiet">
          ${n === thread.length - 1 ? 'It replies to' : 'The thread begins with'}
          <a href="/console/posts/${postId}">a post</a> by ${named.person(authorActorId)}
        </figcaption>
        ${quotedPost(postId)}
      </figure>`,
  );
}

function versions({ versions: all }: NonNullable<CaseView['post']>): Html {
  const [newest, ...earlier] = all
    .toReversed()
    .map((version) => textOf(html`Text of ${timeElement(version.at)}`, version) ?? html``);
  return html`${newest}
  ${
    earlier.length === 0
      ? undefined
      : html`<details class="act">
          <summary>${counted(earlier.length, 'earlier versions')}</summary>
          ${earlier}
        </details>`
  }`;
}

const UNFOLDED = 10;

export function reportCard({ reports: { total, byReason, newest } }: CaseView): Html {
  const items = newest.map(reportItem);
  const folded = items.slice(UNFOLDED);
  const { text, isAll } = reasonCounts(Object.entries(byReason), total);
  return html`<section class="card" aria-labelledby="reports">
    <h2 id="reports">${counted(total, 'reports')}: ${text}${isAll ? '' : ' among the newest'}</h2>
    ${newest.length < total ? html`<p class="quiet">The newest ${String(newest.length)} are listed.</p>` : undefined}
    <ol class="listed">
      ${items.slice(0, UNFOLDED)}
    </ol>
    ${
      folded.length === 0
        ? undefined
        : html`<details class="act">
            <summary>${counted(folded.length, 'more')}</summary>
            <ol class="listed">
              ${folded}
            </ol>
          </details>`
    }
  </section>`;
}

const reportItem = (report: CaseView['reports']['newest'][number]): Html =>
  html`<li>
    <strong>${report.reason}</strong> <span class="quiet small">${timeElement(report.at)}</span>
    ${report.isClosed ? state('closed', false) : undefined} ${textOf('Report', report)}
    ${report.reporterActorId === undefined ? undefined : html`<p class="small">By ${named.person(report.reporterActorId)}</p>`}
  </li>`;

export function personCard({ targetActorId, evidence: { newestPosts, decidedBefore } }: CaseView): Html {
  return html`<section class="card" aria-labelledby="person">
    <h2 id="person">The person</h2>
    <p class="small quiet">
      Up to ${String(POSTS)} other public posts and ${String(DECIDED)} other decided cases, those of a
      violation first.
      <a href="/console/accounts/${targetActorId}">The dossier has more.</a>
    </p>
    <h3>Decided before</h3>
    ${decidedBefore.length === 0 ? html`<p class="quiet">Nothing.</p>` : undefined}
    <ul class="links">
      ${decidedBefore.map(
        ({ caseId, at, outcome, effects, appeal }) =>
          html`<li>
            <strong>${outcomeNames[outcome]}</strong
            >${effects.map((effect) => html`, ${effectNames[effect]}`)}${appeal === 'none' ? undefined : html`, appeal ${appeal}`}:
            ${namedCase(caseId)} <span class="quiet small">${timeElement(at)}</span>
          </li>`,
      )}
    </ul>
    <h3>Newest posts</h3>
    ${newestPosts.length === 0 ? html`<p class="quiet">No other that is public.</p>` : undefined}
    <ol class="listed clamped">
      ${newestPosts.map((postId) => html`<li>${quotedPost(postId)} <a class="small" href="/console/posts/${postId}">dossier</a></li>`)}
    </ol>
  </section>`;
}
