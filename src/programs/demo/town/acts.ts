import { Failure, Refused } from '../../../base/terminal/failure.js';
import type { OperatorClient } from '../../../operator/client/operator-client.js';
import type { auditActs } from '../../../operator/audit/audit.acts.js';
import type { accountActs } from '../../../operator/people/account.acts.js';
import type { applicationUpdateActs } from '../../../operator/people/application-update.acts.js';
import type { applicationActs } from '../../../operator/people/application.acts.js';
import type { nameActs } from '../../../operator/people/name.acts.js';
import { REASON } from '../demo.js';
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

/** Recorded with each act of this demo alone, and shown with it to operators. */
export const reasonOf = ({ tag }: Pick<Town, 'tag'>): string =>
  `Demonstration ${tag}: plaza demo --people makes it, and plaza demo --remove erases it.`;

/** `demo`: recorded by releases before. */
const reasonsOfRuns: ReadonlySet<string | null> = new Set(['demo', REASON]);

interface Registration {
  readonly id: string;
  readonly reason: string | null;
}

/**
 * Reads all registrations of people or applications, the newest first, in pages.
 * @throws {Failure} the audit lags behind the log.
 */
async function* registrations(
  acts: TownActs,
  type: 'account' | 'application',
): AsyncGenerator<readonly Registration[]> {
  let before: string | undefined;
  do {
    const q = `type:${type}.registered`;
    const page = await acts.call('GET /operator/audit', {
      q,
      texts: false,
      wait: before === undefined,
      before,
    });
    if (before === undefined && page.lag !== 0)
      throw new Failure(
        'the audit does not show the whole log yet, and with it every registration; try again later',
      );
    yield page.events.map(({ subject, reason }) => ({
      id: subject['actorId'] ?? subject['appId'] ?? '',
      reason,
    }));
    before = page.next ?? undefined;
  } while (before !== undefined);
}

/**
 * Returns the accounts that were created with this reason.
 * @throws {Failure} with `alone`: there is an account that neither this demo nor `plaza demo` created.
 */
export async function accountsWith(
  acts: TownActs,
  reason: string,
  { alone = false }: { readonly alone?: boolean } = {},
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const page of registrations(acts, 'account')) {
    found.push(...page.flatMap((each) => (each.reason === reason ? [each.id] : [])));
    const others = page.filter((each) => each.reason !== reason && !reasonsOfRuns.has(each.reason));
    if (alone && others.length > 0)
      await requireErased(
        acts,
        others.map(({ id }) => id),
      );
  }
  return found;
}

/** Returns the application that was registered with this reason. */
export async function applicationWith(acts: TownActs, reason: string): Promise<string | undefined> {
  for await (const page of registrations(acts, 'application')) {
    const found = page.find((each) => each.reason === reason);
    if (found) return found.id;
  }
  return undefined;
}

async function requireErased(acts: TownActs, actors: readonly string[]): Promise<void> {
  const named = await acts.call('POST /operator/names', { actors });
  if (actors.every((id) => named.actors[id]?.isErased)) return;
  throw new Failure(
    'the network has accounts that this demo did not create, and a demo fills no network of people; nothing changed. ' +
      'Start another one for it: DATA_DIR=.demo PORT=4000 OPERATOR_PORT=4001 npm start, then DATA_DIR=.demo npm run demo',
  );
}

/** Adds to a refusal which token a demo needs. */
export function withTokenAdvice(error: unknown): unknown {
  if (!(error instanceof Refused) || error.code !== 'capability_required') return error;
  const advice = 'A demo needs an administrator: OPERATOR_TOKEN=plop_… before the command';
  return new Failure(`${error.message} ${advice}`, { cause: error });
}
