import type { PublicProfile } from '../../../projections/profile/profile.read-model.js';
import { Html, html } from '../../base/pages/html.js';
import { quotedText } from '../../base/pages/quotation.js';
import { subjectIn } from '../../domain/case/subject.js';
import { namedIds, nameParts, namesOf } from '../desk/names.js';
import type { NamedIds } from '../desk/names.js';
import { undefinedIfUnreachable } from '../desk/reachable.js';
import type { ActServices } from '../desk/services.js';

/*
 * A page writes a placeholder where an id would stand, and {@link withNames} fills all of them when the page is sent. So pages stay
 * functions of answers with ids, which no erasure reaches, and one place decides which names and texts operators see.
 */

type Noun = keyof NamedIds;
type Form = 'link' | 'text' | 'quote' | 'profile';

/** No text of a page has it: {@link html} replaces it. */
const edge = new Html('\u0000');

const placeholder =
  (noun: Noun, form: Form) =>
  (id: string): Html =>
    html`${edge}${form} ${noun} ${id}${edge}`;

const placeholders = /\0(link|text|quote|profile) (actors|applications|operators|posts) ([^\0]*)\0/g;

/** The name with a link, and the id beside it. A post's name is its first words, if anybody can read them. */
export const named = {
  person: placeholder('actors', 'link'),
  application: placeholder('applications', 'link'),
  operator: placeholder('operators', 'link'),
  post: placeholder('posts', 'link'),
};

/** Ids alone, for what shows the log as it is. */
export const unnamed: typeof named = {
  person: (id) => idLink('actors', id),
  application: (id) => idLink('applications', id),
  operator: (id) => idLink('operators', id),
  post: (id) => idLink('posts', id),
};

const idLink = (noun: Noun, id: string): Html => html`<a href="${places[noun]}${id}"><code>${id}</code></a>`;

/** The name alone, without a tag: in the title of a page, or inside a `bdi`. */
export const nameOf = {
  person: placeholder('actors', 'text'),
  application: placeholder('applications', 'text'),
  operator: placeholder('operators', 'text'),
  post: placeholder('posts', 'text'),
};

/** The whole text of a post, if anybody can read it now. */
export const quotedPost = placeholder('posts', 'quote');

/** Bio and website of a person, if anybody can read them now. */
export const profileOf = placeholder('actors', 'profile');

/** A case, by the name of its subject. */
export function namedCase(caseId: string): Html {
  const { kind, id } = subjectIn(caseId);
  return html`<a href="/console/cases/${caseId}"
    ><bdi>${kind === 'post' ? html`post ${nameOf.post(id)}` : nameOf.person(id)}</bdi></a
  >`;
}

const places: Readonly<Record<Noun, string>> = {
  actors: '/console/accounts/',
  applications: '/console/applications/',
  operators: '/console/audit?q=operator:',
  posts: '/console/posts/',
};

/**
 * The page with names, texts and profiles in place of its placeholders. If a store does not answer: with ids alone, and without the
 * others.
 */
export async function withNames(
  services: Pick<ActServices, 'store' | 'publicPosts' | 'publicProfiles'>,
  page: string,
): Promise<string> {
  const found = [...page.matchAll(placeholders)];
  if (found.length === 0) return page;
  const wanted = (...forms: readonly Form[]) =>
    namedIds(
      found.flatMap(([, form, noun, id = '']) =>
        forms.includes(form as Form) ? [[noun as Noun, id] as const] : [],
      ),
    );
  const [texts, profiles, names] = await Promise.all([
    undefinedIfUnreachable(services.publicPosts.textsOf(wanted('quote').posts)),
    undefinedIfUnreachable(services.publicProfiles.of(wanted('profile').actors)),
    undefinedIfUnreachable(namesOf(services, wanted('link', 'text'))),
  ]);
  return page.replaceAll(placeholders, (_whole, form: Form, noun: Noun, id: string) => {
    if (form === 'quote') return quotation(texts?.get(id)).text;
    if (form === 'profile') return profile(profiles?.get(id)).text;
    const name = names ? nameParts[noun](names, id) : [];
    if (form === 'text') return html`${name.length === 0 ? id : name.join(' ')}`.text;
    if (name.length === 0) return idLink(noun, id).text;
    return html`<a href="${places[noun]}${id}">${bdi(name)}</a> <code class="id">${id}</code>`.text;
  });
}

const quotation = (text: string | undefined): Html =>
  text === undefined ? html`<p class="quiet">Its text is not public.</p>` : quotedText(text);

function profile(found: PublicProfile | undefined): Html {
  if (!found) return html`<p class="quiet">Nobody can read the profile now.</p>`;
  const { bio, website } = found;
  return html`${bio === '' ? undefined : html`<p class="inset"><bdi>${bio}</bdi></p>`}
  ${website === '' ? undefined : html`<p><bdi>${website}</bdi></p>`}`;
}

/** One element each: a handle stays behind a name that is written from right to left. */
const bdi = (parts: readonly string[]): readonly Html[] =>
  parts.map((part, n) => html`${n === 0 ? '' : ' '}<bdi>${part}</bdi>`);
