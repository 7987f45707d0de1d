import { html } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import type { ItemKind, SampledItem } from '../desk/sample.js';
import { named } from './names.js';
import { numbers } from './tables.js';

const nouns = { posts: 'post', accounts: 'person', operators: 'operator' } as const;

export const itemNamed = (kind: ItemKind, id: string): Html => named[nouns[kind]](id);

/** A post with its author; anything else by its name alone. */
export const sampledNamed = (kind: ItemKind, { id, authorActorId }: SampledItem): Html =>
  html`${itemNamed(kind, id)}${authorActorId === null ? undefined : html` by ${named.person(authorActorId)}`}`;

/** The first of so many things. */
export const firstOf = (items: readonly Html[], count: number): Html =>
  html`<ul class="links">
      ${items.map((item) => html`<li>${item}</li>`)}
    </ul>
    ${count > items.length ? html`<p>and ${numbers.format(count - items.length)} more</p>` : undefined}`;
