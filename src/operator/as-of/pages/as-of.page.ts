import { hiddenField, html, secondElement, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { Listed } from '../../../background/as-of/view.js';
import type { AsOfAnswer, AsOfPost, AsOfProfile, AsOfView } from '../answer.js';
import type { AsOfStatus } from '../status.js';
import { reloading } from '../../console/progress.js';
import { consolePage } from '../../console/layout.js';
import { named } from '../../console/names.js';
import { requesterNamed } from '../../console/requester.js';
import type { Frame } from '../../desk/page.js';
import { mayDo } from '../../console/may.js';
import { actForm, facts, proofField, state, textField } from '../../console/parts.js';

/** An actor's id needs no escape. */
export const asOfPath = (position: number, actor: string): string =>
  `/console/as-of/${position}?actor=${actor}`;

export function asOfPage(frame: Frame, builds: readonly AsOfStatus[]): string {
  const content = html`<section class="card" aria-labelledby="as-of">
      <h1 id="as-of">As of a moment</h1>
      <p>What the network would show one person as of a moment, under today's code.</p>
      <form method="post" action="/console/as-of">
        ${proofField(frame.proof)}
        <div class="fields">
          ${textField({
            id: 'at',
            name: 'at',
            label: 'Time, or position of the log',
            hint: '2026-01-31T09:30Z, 24h, 7d, or a position. A day means its begin, UTC.',
          })}
          ${textField({
            id: 'actor',
            name: 'actor',
            label: 'Id of the account',
            hint: 'Each look is recorded, with your name.',
          })}
          <button class="main" type="submit">Show</button>
        </div>
      </form>
    </section>
    <section class="card" aria-labelledby="builds">
      <h2 id="builds">Kept builds</h2>
      ${builds.length === 0 ? html`<p>None.</p>` : undefined}
      <ul class="listed">
        ${builds.map(
          (build) =>
            html`<li>
              <h3>
                Position ${String(build.position)}
                ${build.state === 'built' ? undefined : state(build.state, build.state === 'failed')}
              </h3>
              ${facts([
                ['newest event', secondElement(build.at)],
                ['requested', timeElement(build.requestedAt)],
                ['by', requesterNamed(build.requestedBy)],
                ...(build.keptUntil === null
                  ? []
                  : [['dropped after', timeElement(build.keptUntil)] as const]),
              ])}
            </li>`,
        )}
      </ul>
    </section>`;
  return consolePage('As of', content, frame);
}

export const isAsOfBuilding = ({ build, view }: AsOfAnswer): boolean => !view && build.state !== 'failed';

export function asOfAnswerPage(
  frame: Frame,
  answer: AsOfAnswer,
  { isReloading = false }: { readonly isReloading?: boolean } = {},
): string {
  const { actor, build, view } = answer;
  if (view) return viewPage(frame, actor, view);
  const { position, at, message } = build;
  const content = html`<section class="card" aria-labelledby="as-of">
    <h1 id="as-of">As of ${secondElement(at)}</h1>
    ${
      build.state === 'failed'
        ? html`<p class="problem" role="status">
            The build failed: ${message ?? 'see the log of the worker'}
          </p>`
        : html`<p role="status">${progressOf(build)}</p>
            ${reloading(asOfPath(position, actor), isReloading)}
            <p class="quiet">The build goes on if you leave.</p>`
    }
    ${facts([['position', html`<code>${String(position)}</code>`]])}
    <p><a href="/console/as-of">Another moment</a></p>
  </section>`;
  return consolePage('As of', content, frame);
}

function progressOf({ state: is, step, done, total, rate, secondsLeft, message }: AsOfStatus): string {
  if (is === 'requested')
    return `Waiting for a worker${secondsLeft === null ? '' : `; expected to take about ${secondsLeft} s`}.`;
  const left = secondsLeft === null ? '' : `, about ${secondsLeft} s left`;
  const count = total === null ? '' : `: ${done} of about ${total}, ${Math.round(rate ?? 0)} a second${left}`;
  return `${message ?? step ?? 'starting'}${count}.`;
}

function viewPage(frame: Frame, actor: string, view: AsOfView): string {
  const { position, at, note, profile, timeline, posts, inbox } = view;
  const disclose =
    mayDo(frame.session, 'as_of.disclose') && hasHidden(view)
      ? actForm({
          action: `/console/as-of/${position}/texts`,
          button: 'Disclose the texts',
          proof: frame.proof,
          id: 'disclose',
          reason: 'required',
          fields: hiddenField('actor', actor),
        })
      : undefined;
  const content = html`<section class="card" aria-labelledby="as-of">
      <h1 id="as-of">As of ${secondElement(at)}, under today's code</h1>
      <p>${note}</p>
      ${facts([
        ['position', html`<code>${String(position)}</code>`],
        ['account', named.person(actor)],
        ['state', state(profile.state, profile.state !== 'active')],
        ...profileFacts(profile),
      ])}
      ${disclose}
      <p><a href="/console/as-of">Another moment</a></p>
    </section>
    ${postsCard('timeline', 'Timeline', timeline)} ${postsCard('posts', 'Own posts and replies', posts)}
    ${card('following', 'Following', view.following, named.person)}
    ${card('followers', 'Followers', view.followers, named.person)}
    ${card('blocks', 'Blocks', view.blocks, named.person)}
    ${card(
      'inbox',
      `Inbox, ${inbox.unread} unread`,
      inbox,
      ({ kind, sourceActorId, createdAt }) =>
        html`${kind} by ${named.person(sourceActorId)}, ${secondElement(createdAt)}`,
    )}`;
  return consolePage('As of', content, frame);
}

const hasHidden = ({ profile, timeline, posts }: AsOfView): boolean =>
  [profile, ...timeline.items, ...posts.items].some(({ texts }) => texts === 'hidden');

const reasonsForNone: Readonly<Record<AsOfPost['texts'], string>> = {
  public: 'empty',
  disclosed: 'empty',
  hidden: 'not public now',
  erased: 'erased',
};

function profileFacts({
  fields,
  texts,
  eventId,
  ...profile
}: AsOfProfile): (readonly [string, Html | string])[] {
  const about: (readonly [string, Html | string])[] = fields
    ? [
        ['handle', fields.handle === null ? 'none' : `@${fields.handle}`],
        ['display name', html`<bdi>${fields.displayName ?? ''}</bdi>`],
        ['bio', html`<bdi>${fields.bio ?? ''}</bdi>`],
        ['website', fields.website ?? ''],
      ]
    : [['profile', `${reasonsForNone[texts]}${eventId === null ? '' : ` (event ${eventId})`}`]];
  const counts = (['followers', 'following', 'posts'] as const).flatMap((name) =>
    profile[name] === null ? [] : [[name, String(profile[name])] as const],
  );
  return [...about, ...counts];
}

const postsCard = (id: string, title: string, posts: Listed<AsOfPost>): Html =>
  card(
    id,
    title,
    posts,
    ({ id: postId, authorActorId, createdAt, text, texts, eventId }) =>
      html`<p class="small">
          ${named.person(authorActorId)}, ${secondElement(createdAt)},
          <a href="/console/posts/${postId}">the post now</a> <code class="id">${postId}</code>
        </p>
        ${
          text === null
            ? html`<p class="quiet">Text ${reasonsForNone[texts]} (event ${eventId ?? 'unknown'}).</p>`
            : html`<p class="inset">
                <bdi>${text}</bdi> ${texts === 'disclosed' ? state('disclosed', true) : undefined}
              </p>`
        }`,
  );

function card<Item>(
  id: string,
  title: string,
  { items, more }: Listed<Item>,
  show: (item: Item) => Html,
): Html {
  return html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${items.length === 0 ? html`<p class="quiet">None.</p>` : undefined}
    <ul class="listed">
      ${items.map((item) => html`<li>${show(item)}</li>`)}
    </ul>
    ${more ? html`<p class="quiet">It goes on: the first ${String(items.length)} are shown.</p>` : undefined}
  </section>`;
}
