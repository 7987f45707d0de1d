import { Failure, Refused } from '../../../base/terminal/failure.js';
import type { OperatorClient } from '../../../operator/client/operator-client.js';
import type { auditActs } from '../../../operator/audit/audit.acts.js';
import type { accountActs } from '../../../operator/people/account.acts.js';
import type { applicationUpdateActs } from '../../../operator/people/application-update.acts.js';
import type { applicationActs } from '../../../operator/people/application.acts.js';
import type { nameActs } from '../../../operator/people/name.acts.js';
import type { Town } from './town-file.js';

export const townActsOf = (operator: OperatorClient) =>
  operator.of<
    | typeof accountActs
    | typeof applicationActs
    | typeof applicationUpdateActs
    | typeof auditActs
    | typeof nameActs
  >();

export type TownActs = ReturnType<typeof townActsOf>;

/** Recorded with each act of this demo alone. */
export const reasonOf = ({ tag }: Pick<Town, 'tag'>): string => `demo ${tag}`;

/** `plaza demo` without a town, or with one. */
const reasonOfDemos = /^demo( [0-9a-f]{16})?$/;

/**
 * Returns the accounts that were created with this reason.
 * @throws {Failure} with `alone`: there is an account that no demo created.
 */
export async function accountsWith(
  acts: TownActs,
  reason: string,
  { alone = false }: { readonly alone?: boolean } = {},
): Promise<readonly string[]> {
  const found: string[] = [];
  let before: string | undefined;
  do {
    const page = await acts.call('GET /operator/audit', {
      q: 'type:account.registered',
      texts: false,
      wait: before === undefined,
      before,
    });
    if (before === undefined && page.lag !== 0)
      throw new Failure(
        'the audit does not show the whole log yet, and with it every account; try again later',
      );
    const registered = page.events.map(({ subject, reason: why }) => ({ id: subject['actorId'] ?? '', why }));
    found.push(...registered.flatMap(({ id, why }) => (why === reason ? [id] : [])));
    const others = registered.filter(({ why }) => !reasonOfDemos.test(why ?? ''));
    if (alone && others.length > 0)
      await requireErased(
        acts,
        others.map(({ id }) => id),
      );
    before = page.next ?? undefined;
  } while (before !== undefined);
  return found;
}

async function requireErased(acts: TownActs, actors: readonly string[]): Promise<void> {
  const named = await acts.call('POST /operator/names', { actors });
  if (actors.every((id) => named.actors[id]?.isErased)) return;
  throw new Failure(
    'the network has accounts that no demo created, and a demo fills no network of people; nothing changed. ' +
      'Start another one for it: DATA_DIR=.demo PORT=4000 OPERATOR_PORT=4001 npm start, then DATA_DIR=.demo npm run demo',
  );
}

/** Adds to a refusal which token a demo needs. */
export function withTokenAdvice(error: unknown): unknown {
  if (!(error instanceof Refused) || error.code !== 'capability_required') return error;
  const advice = 'A demo needs an administrator: OPERATOR_TOKEN=plop_… before the command';
  return new Failure(`${error.message} ${advice}`, { cause: error });
}
