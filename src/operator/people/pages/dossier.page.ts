import { hiddenField, html, timeElement } from '../../../base/pages/html.js';
import type { Html } from '../../../base/pages/html.js';
import type { AccountDossier, ApplicationDossier, Dossier, GrantDossier, PostDossier } from '../dossiers.js';
import { hasTextOfPerson } from '../../audit/disclose.js';
import { disclosureForm } from '../../audit/pages/disclosure-form.js';
import { eventList } from '../../console/events.js';
import { consolePage } from '../../console/layout.js';
import type { Frame } from '../../desk/page.js';
import { actNamed, mayDo } from '../../console/may.js';
import { actForm, facts, state } from '../../console/parts.js';

interface DossierParts {
  readonly title: Html;
  readonly name: string;
  readonly facts: readonly (readonly [string, Html | string])[];
  /** Name of the act, its path, and the words of its button. */
  readonly acts: readonly (readonly [string, string, string])[];
  readonly more?: Html | undefined;
  readonly fields?: Html;
  readonly about: Dossier;
  readonly search: string;
}

function dossierPage(frame: Frame, parts: DossierParts): string {
  const { proof, session } = frame;
  const { timeline } = parts.about;
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
  const written = timeline.filter(({ type }) => hasTextOfPerson(type));
  const content = html`<section class="card" aria-labelledby="subject">
      <h1 id="subject">${parts.title}</h1>
      ${facts(parts.facts)} ${parts.more} ${forms} ${disclosureForm(frame, written)}
    </section>
    <section class="card" aria-labelledby="timeline">
      <h2 id="timeline">Newest events</h2>
      <p class="small"><a href="/console/audit?q=${parts.search}">All of them, in the audit</a></p>
      ${timeline.length === 0 ? html`<p>None yet, or the audit is behind.</p>` : undefined}
      ${eventList(timeline)}
    </section>`;
  return consolePage(parts.name, content, frame);
}

const account = (actorId: string, handle: string | null): Html =>
  html`<a href="/console/accounts/${actorId}">${handle === null ? actorId : html`@${handle}`}</a>`;

export function accountPage(frame: Frame, about: AccountDossier): string {
  const { actorId, handle, displayName, state: is } = about;
  const one = `/console/accounts/${actorId}`;
  return dossierPage(frame, {
    title: html`<bdi>${displayName === '' ? 'Account' : displayName}</bdi> ${state(is, is !== 'active')}`,
    name: `Account ${handle === null ? actorId : `@${handle}`}`,
    facts: [
      ['handle', handle === null ? 'none' : `@${handle}`],
      ['id', html`<code>${actorId}</code>`],
      ['registered', timeElement(about.registeredAt)],
      ...(about.erasesAt === null ? [] : [['erasure planned for', timeElement(about.erasesAt)] as const]),
    ],
    acts:
      is === 'active'
        ? [['account.suspend', `${one}/suspend`, 'Suspend the account']]
        : [['account.reinstate', `${one}/reinstate`, 'Reinstate the account']],
    more: html`<h2>Applications with access</h2>
      ${about.grants.length === 0 ? html`<p class="quiet">None.</p>` : undefined}
      <ul class="links">
        ${about.grants.map(
          ({ grantId, clientId, name, issuedAt }) =>
            html`<li>
              <a href="/console/applications/${clientId}"><bdi>${name ?? clientId}</bdi></a
              >, since ${timeElement(issuedAt)} (<a href="/console/grants/${grantId}">grant ${grantId}</a>)
            </li>`,
        )}
      </ul>`,
    about,
    search: `actor:${actorId}`,
  });
}

export function applicationPage(frame: Frame, about: ApplicationDossier): string {
  const { clientId, name, state: is, registeredAt } = about;
  const one = `/console/applications/${clientId}`;
  return dossierPage(frame, {
    title: html`<bdi>${name}</bdi> ${state(is, is !== 'active')}`,
    name: `Application ${name}`,
    facts: [
      ['client id', html`<code>${clientId}</code>`],
      ['usable grants', String(about.grants)],
      ['scopes', about.scopes.join(', ')],
      ['redirect URIs', about.redirectUris.join(' ')],
      ['registered', registeredAt === null ? 'unknown' : timeElement(registeredAt)],
    ],
    acts: [
      is === 'active'
        ? ['application.suspend', `${one}/suspend`, 'Suspend the application']
        : ['application.reinstate', `${one}/reinstate`, 'Reinstate the application'],
      ['application.revoke_grants', `${one}/revoke-grants`, 'Revoke all its grants'],
    ],
    more: html`<p><a href="${one}/impact">What it did</a></p>`,
    about,
    search: `app:${clientId}`,
  });
}

export function grantPage(frame: Frame, about: GrantDossier): string {
  const { grantId, clientId, actorId, revokedAt, lastUsedAt } = about;
  return dossierPage(frame, {
    title: html`Grant ${revokedAt === null ? undefined : state('revoked', true)}`,
    name: `Grant ${grantId}`,
    facts: [
      ['id', html`<code>${grantId}</code>`],
      ['account', account(actorId, about.handle)],
      [
        'application',
        html`<a href="/console/applications/${clientId}"><bdi>${about.application ?? clientId}</bdi></a>`,
      ],
      ['scopes', about.scopes.join(', ')],
      ['issued', timeElement(about.issuedAt)],
      ['last used', lastUsedAt === null ? 'unknown' : timeElement(lastUsedAt)],
      ...(revokedAt === null ? [] : [['revoked', timeElement(revokedAt)] as const]),
    ],
    acts:
      revokedAt === null ? [['grant.revoke', `/console/grants/${grantId}/revoke`, 'Revoke the grant']] : [],
    about,
    search: `grant:${grantId}`,
  });
}

export function postPage(frame: Frame, about: PostDossier): string {
  const { postId, status, clientId, text } = about;
  const one = `/console/posts/${postId}`;
  return dossierPage(frame, {
    title: html`Post ${state(status, status !== 'published')}`,
    name: `Post ${postId}`,
    facts: [
      ['id', html`<code>${postId}</code>`],
      ['author', account(about.authorActorId, about.author)],
      ...(clientId === null
        ? []
        : [['application', html`<a href="/console/applications/${clientId}">${clientId}</a>`] as const]),
      ['revision', String(about.revision)],
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
    about,
    search: `post:${postId}`,
  });
}
