import { confirmsAlone } from '../../domain/four-eyes/handling.js';
import { html, timeElement } from '../../base/pages/html.js';
import type { Html } from '../../base/pages/html.js';
import { establishedAmong } from '../desk/approvals/four-eyes.js';
import type { Standing } from '../desk/approvals/four-eyes.js';
import { undefinedIfUnreachable } from '../desk/reachable.js';
import type { ActServices } from '../desk/services.js';

const SHOWN = 10;

const unconfirmedOperators = {
  name: 'operator.unconfirmed',
  text: `SELECT name FROM authority.operator WHERE needs_confirmation AND NOT suspended ORDER BY invited_at LIMIT ${SHOWN}`,
};

/** Said on every page: who joined without a second person, and what the shared token may do alone. */
export async function warningsOf({ fourEyes, store, clock }: ActServices): Promise<readonly Html[]> {
  const marked = await store.rows<{ name: string }>(unconfirmedOperators, []);
  const invited =
    marked.length === 0 ? [] : [html`The limited shared token invited ${namesOf(marked)}. ${ADVICE}`];
  const standings = await undefinedIfUnreachable(fourEyes.standingsIfOn());
  if (!standings) return invited;
  const now = clock.now();
  const joined = standings.filter(
    (each) => each.isUnconfirmed && !marked.some(({ name }) => name === each.name),
  );
  const early = standings.filter(({ establishedFrom = 0 }) => establishedFrom > now);
  const { administrators } = establishedAmong(standings, now);
  return [
    ...(confirmsAlone(administrators) ? [isolation(administrators)] : []),
    ...invited,
    ...(joined.length === 0 ? [] : [html`${namesOf(joined)} joined without a second person. ${ADVICE}`]),
    ...early.slice(0, SHOWN).map(waiting),
  ];
}

const ADVICE = html`If that is right, an administrator confirms it under
  <a href="/console/operators">Operators</a>; if not, suspend them there.`;

const isolation = (administrators: number): Html =>
  html`Four-eyes is on, and ${administrators === 1 ? 'one administrator' : 'no administrator'} can approve.
  Until there are two, the shared token alone can invite an administrator and reseed the witness.`;

const waiting = ({ name, establishedFrom = 0 }: Standing): Html =>
  html`One person alone confirmed <bdi>${name}</bdi>, who can approve acts from
    ${timeElement(establishedFrom)} on. If that is wrong, suspend them under
    <a href="/console/operators">Operators</a>.`;

const namesOf = (named: readonly { readonly name: string }[]): readonly Html[] =>
  named.slice(0, SHOWN).map(({ name }, at) => html`${at === 0 ? '' : ', '}<bdi>${name}</bdi>`);
