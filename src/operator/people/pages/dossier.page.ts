import { hiddenField, html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { AccountDossier, ApplicationDossier, Dossier, GrantDossier, PostDossier } from '../dossiers.js';
import { changedValues } from '../application-changes.js';
import { hasTextOfPerson, MAX_DISCLOSED } from '../../audit/disclose.js';
import { disclosureForm } from '../../audit/pages/disclosure-form.js';
import { eventsByKind } from '../../console/events.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { actNamed, mayDo } from '../../console/may.js';
import { named, nameOf, profileOf } from '../../console/names.js';
import { actForm, facts, state } from '../../console/parts.js';
import { numbers, table } from '../../console/tables.js';
import { updateForm } from './application-update.page.js';
import { casesCard, postsPlot, reportsLine } from './person-numbers.js';

type Timeline = Dossier['timeline'];

interface DossierParts {
  readonly id: string;
  readonly title: Html;
  readonly name: Html | string;
  readonly facts: readonly (readonly [string, Html | string])[];
  /** Name of the act, its path, and the words of its button. */
  readonly acts: readonly (readonly [string, string, string])[];
  readonly more?: Html | undefined;
  readonly cards?: Html | undefined;
  readonly fields?: Html;
  readonly about: Dossier;
  /** Events by heading. */
  readonly events: readonly (readonly [string, Timeline])[];
  readonly search: string;
}

function dossierPage(frame: Frame, parts: DossierParts): string {
  const { proof, session } = frame;
  const { timeline, isMore } = parts.about;
  const forms = parts.acts
    .filter(([name]) => mayDo(session, name))
    .map(([name, action, button]) =>
      actForm({
        action,
        button,
        proof,
        id: name.replace('.', '-'),
        reason: actNamed(name).reason,
        ...(parts.fields && { fields: parts.fields }),
      }),
    );
  const written = timeline.filter(({ type }) => hasTextOfPerson(type)).slice(0, MAX_DISCLOSED);
  const content = html`<section class="card" aria-labelledby="subject">
      <h1 id="subject">${parts.title}</h1>
      ${facts(parts.facts)} ${parts.more} ${forms} ${disclosureForm(frame, written)}
    </section>
    ${parts.cards}
    <section class="card" aria-labelledby="timeline">
      <h2 id="timeline">Newest events</h2>
      <p class="small">
        ${isMore ? 'Older events are left out: ' : undefined}<a href="/console/audit?q=${parts.search}"
          >all of them, in the audit</a
        >
      </p>
      ${
        timeline.length === 0
          ? html`<p>
              ${isMore ? 'None among the newest events that were read.' : 'None yet, or the audit is behind.'}
            </p>`
          : undefined
      }
      ${parts.events
        .filter(([, events]) => events.length > 0)
        .map(
          ([heading, events]) =>
            html`${heading === '' ? undefined : html`<h3>${heading}</h3>`} ${eventsByKind(events, parts.id)}`,
        )}
    </section>`;
  return consolePage(parts.name, content, frame);
}

export function accountPage(frame: Frame, about: AccountDossier): string {
  const { actorId, state: is, numbers: counts, timeline } = about;
  const one = `/console/accounts/${actorId}`;
  const isOwn = ({ actorId: by, operatorId, operator }: Timeline[number]) =>
    by === actorId && operatorId === null && operator === null;
  return dossierPage(frame, {
    id: actorId,
    title: html`<bdi>${nameOf.person(actorId)}</bdi> ${state(is, is !== 'active')}`,
    name: 'Dossier of a person',
    facts: [
      ['id', html`<code>${actorId}</code>`],
      ['registered', timeElement(about.registeredAt)],
      ...(counts === null
        ? []
        : ([
            ['followers', numbers.format(counts.followers)],
            ['follows', numbers.format(counts.following)],
          ] as const)),
      ...(about.reportsBy === null
        ? []
        : [['reports by this person', reportsLine(about.reportsBy)] as const]),
      ...(about.erasesAt === null ? [] : [['erasure planned for', timeElement(about.erasesAt)] as const]),
      ...(about.recoveryLink === null
        ? []
        : [
            [
              'link that sets a new password',
              html`from ${timeElement(about.recoveryLink.worksFrom)} until
              ${timeElement(about.recoveryLink.worksUntil)}`,
            ] as const,
          ]),
    ],
    acts: [
      is === 'active'
        ? ['account.suspend', `${one}/suspend`, 'Suspend the account']
        : ['account.reinstate', `${one}/reinstate`, 'Reinstate the account'],
      about.recoveryLink === null
        ? ['account.make_recovery_link', `${one}/recovery-link`, 'Make a link that sets a new password']
        : ['account.end_recovery_link', `${one}/end-recovery-link`, 'End the link that sets a new password'],
    ],
    more: html`${profileOf(actorId)} ${counts === null ? undefined : postsPlot(counts)}
      <h2>Applications with access</h2>
      ${about.grants.length === 0 ? html`<p class="quiet">None.</p>` : undefined}
      <ul class="links">
        ${about.grants.map(
          ({ grantId, clientId, issuedAt }) =>
            html`<li>
              ${named.application(clientId)}, since ${timeElement(issuedAt)} (<a
                href="/console/grants/${grantId}"
                >grant ${grantId}</a
              >)
            </li>`,
        )}
      </ul>`,
    cards: casesCard(about.cases, 'person'),
    about,
    events: [
      ['By this person', timeline.filter(isOwn)],
      ['By others', timeline.filter((event) => !isOwn(event))],
    ],
    search: `actor:${actorId}`,
  });
}

export function applicationPage(frame: Frame, about: ApplicationDossier): string {
  const { clientId, name, state: is, registeredAt } = about;
  const one = `/console/applications/${clientId}`;
  return dossierPage(frame, {
    id: clientId,
    title: html`<bdi>${name}</bdi> ${state(is, is !== 'active')}`,
    name: 'Dossier of an application',
    facts: [
      ['client id', html`<code>${clientId}</code>`],
      ...about.formerNames.map(
        ({ name: former, until }) =>
          ['former name', html`<bdi>${former}</bdi>, until ${timeElement(until)}`] as const,
      ),
      [
        'usable grants',
        `${about.grants}${about.isEndingGrants ? '; those with a removed scope are being ended' : ''}`,
      ],
      ['scopes', about.scopes.join(', ')],
      ['redirect URIs', about.redirectUris.join(' ')],
      ...(about.postLogoutRedirectUris.length === 0
        ? []
        : [['addresses after sign-out', about.postLogoutRedirectUris.join(' ')] as const]),
      ['registered', registeredAt === null ? 'unknown' : timeElement(registeredAt)],
    ],
    acts: [
      is === 'active'
        ? ['application.suspend', `${one}/suspend`, 'Suspend the application']
        : ['application.reinstate', `${one}/reinstate`, 'Reinstate the application'],
      ['application.revoke_grants', `${one}/revoke-grants`, 'Revoke all its grants'],
    ],
    more: html`<p><a href="${one}/impact">What it did</a></p>
      ${updateForm(frame, about)}`,
    cards: changesCard(about.changes),
    about,
    events: [['About the application itself', about.timeline]],
    search: `app:${clientId}`,
  });
}

function changesCard(changes: ApplicationDossier['changes']): Html | undefined {
  if (changes.length === 0) return undefined;
  return html`<section class="card" aria-labelledby="changes">
    <h2 id="changes">Changes of name, addresses and scopes</h2>
    ${table(
      'Changes',
      ['when', 'what', 'by'],
      changes.map((change) => [
        timeElement(change.at),
        html`${change.name === null ? undefined : html`<div>name: <bdi>${change.name.before}</bdi> → <bdi>${change.name.after}</bdi></div>`}
        ${changedValues(change).map(({ what, value }) => html`<div>${what}: <bdi>${value}</bdi></div>`)}`,
        html`${change.operatorId === null ? (change.operator ?? 'unknown') : named.operator(change.operatorId)}
        ${change.reason === null ? undefined : html`<div class="quiet">${change.reason}</div>`}`,
      ]),
    )}
  </section>`;
}

export function grantPage(frame: Frame, about: GrantDossier): string {
  const { grantId, clientId, actorId, revokedAt, lastUsedAt } = about;
  return dossierPage(frame, {
    id: grantId,
    title: html`Grant ${revokedAt === null ? undefined : state('revoked', true)}`,
    name: `Grant ${grantId}`,
    facts: [
      ['id', html`<code>${grantId}</code>`],
      ['account', named.person(actorId)],
      ['application', named.application(clientId)],
      ['scopes', about.scopes.join(', ')],
      ['issued', timeElement(about.issuedAt)],
      ['last used', lastUsedAt === null ? 'unknown' : timeElement(lastUsedAt)],
      ...(revokedAt === null ? [] : [['revoked', timeElement(revokedAt)] as const]),
    ],
    acts:
      revokedAt === null ? [['grant.revoke', `/console/grants/${grantId}/revoke`, 'Revoke the grant']] : [],
    about,
    events: [['', about.timeline]],
    search: `grant:${grantId}`,
  });
}

export function postPage(frame: Frame, about: PostDossier): string {
  const { postId, status, clientId, createdAt, parentId, rootId, text } = about;
  const one = `/console/posts/${postId}`;
  return dossierPage(frame, {
    id: postId,
    title: html`Post ${state(status, status !== 'published')}`,
    name: 'Dossier of a post',
    facts: [
      ['id', html`<code>${postId}</code>`],
      ['author', named.person(about.authorActorId)],
      ...(clientId === null ? [] : [['application', named.application(clientId)] as const]),
      ...(createdAt === null ? [] : [['published', timeElement(createdAt)] as const]),
      ...(parentId === null ? [] : [['reply to', named.post(parentId)] as const]),
      ...(rootId === null || rootId === parentId ? [] : [['in the thread of', named.post(rootId)] as const]),
      ['version', String(about.revision)],
    ],
    more:
      text === null
        ? html`<p class="quiet">Its text is not public. A disclosure shows it, and is recorded.</p>`
        : html`<p class="inset"><bdi>${text}</bdi></p>`,
    // Another operator may have decided meanwhile.
    fields: hiddenField('revision', String(about.lifecycle)),
    acts:
      status === 'published'
        ? [['post.restrict', `${one}/restrict`, 'Restrict the post']]
        : status === 'restricted'
          ? [['post.unrestrict', `${one}/unrestrict`, 'Unrestrict the post']]
          : [],
    cards: casesCard(about.cases, 'post'),
    about,
    events: [['', about.timeline]],
    search: `post:${postId}`,
  });
}
