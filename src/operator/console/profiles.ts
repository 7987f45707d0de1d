import { Html, html } from '../../base/pages/html.js';
import { undefinedIfUnreachable } from '../desk/reachable.js';
import type { ActServices } from '../desk/services.js';

/*
 * The texts of a profile are in no answer, since no erasure reaches what left the house. A page writes a placeholder, as for
 * names (names.ts).
 */

const placeholders = /\0profile ([\w-]*)\0/g;

/** Bio and website of a person, as anybody can read them. */
export const profileOf = (actorId: string): Html => new Html(`\0profile ${html`${actorId}`.text}\0`);

export async function withProfiles(
  { publicProfiles }: Pick<ActServices, 'publicProfiles'>,
  page: string,
): Promise<string> {
  const actorIds = [...page.matchAll(placeholders)].flatMap(([, id]) => id ?? []);
  if (actorIds.length === 0) return page;
  const profiles = await undefinedIfUnreachable(publicProfiles.of(actorIds));
  return page.replaceAll(placeholders, (_whole, id: string) => {
    const profile = profiles?.get(id);
    if (!profile) return html`<p class="quiet">Nobody can read the profile now.</p>`.text;
    const { bio, website } = profile;
    return html`${bio === '' ? undefined : html`<p class="inset"><bdi>${bio}</bdi></p>`}
    ${website === '' ? undefined : html`<p><bdi>${website}</bdi></p>`}`.text;
  });
}
