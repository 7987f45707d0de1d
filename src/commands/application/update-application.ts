import { Command } from '@nestjs/cqrs';
import { projectInline } from '../../../projections/authority/authority.projection.js';
import { unknownApplication } from '../../domain/application/application.js';
import type { ApplicationDetails } from '../../domain/application/application.js';
import { changeApplication } from '../../domain/application/change.js';
import type { AskedDetails } from '../../domain/application/change.js';
import type { ApplicationChanged, ApplicationRegistered } from '../../domain/application/events.js';
import { Refusal } from '../../domain/refusal.js';
import type { EventLog } from '../../log/event-log.js';
import { readNewest } from '../../log/read-newest.js';
import type { EventMetadata, Recorded } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { ApplicationRow } from '../../base/store/authority/application.row.js';
import { countExcessGrants } from '../grant/excess-grants.js';
import { aggregates } from '../support/aggregates.js';
import { handles } from '../support/handles.js';
import type { ChangeResult, WriteSide } from '../support/write-side.js';

interface ApplicationUpdated extends ChangeResult {
  /** Those that differ from before. */
  readonly fields: ApplicationChanged['data']['changed'];
  /** Number of grants that end because of it. */
  readonly endsGrants: number;
  /** Number of changes since the registration. */
  readonly revision: number;
}

interface ExpectedUpdate {
  readonly revision?: number | undefined;
  /** False: a change that would end grants is refused, with their number. */
  readonly endsGrants: boolean;
}

/**
 * Changes name, addresses and scopes of an application, from the next request to any process on. Grants that have more
 * scopes end afterwards (src/background/excess-grants.ts). Idempotent.
 * @throws {Refusal} `not_found`, `invalid_text`, `revision_conflict`, `effect_mismatch`; errors of log and store.
 */
export class UpdateApplication extends Command<ApplicationUpdated> {
  constructor(
    readonly appId: string,
    readonly asked: AskedDetails,
    readonly expected: ExpectedUpdate,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

interface UpdatePlan {
  readonly before: ApplicationDetails;
  /** Undefined: nothing would change. */
  readonly change: ApplicationChanged | undefined;
  readonly endsGrants: number;
  readonly revision: number;
}

/** Returns what an update would do after these newest changes. @throws errors of log and store */
export async function planUpdate(
  { log, store }: Pick<WriteSide, 'log' | 'store'>,
  { appId, asked, at }: { readonly appId: string; readonly asked: AskedDetails; readonly at: number },
  past: readonly Recorded<ApplicationChanged>[],
): Promise<UpdatePlan | Refusal> {
  const registered = await registrationOf(log, appId);
  if (!registered) return unknownApplication();
  // Finishes an update that was cut off after its append: its row tells if grants still end.
  await projectInline([registered, ...past], store.db);
  const newest = past.at(-1);
  const before = newest?.event.data ?? { ...registered.event.data, formerNames: [] };
  const { isEndingGrants } = await store.db.findOneByOrFail(ApplicationRow, { appId });
  const decision = changeApplication(before, { appId, asked, at, isEndingGrants });
  if (decision instanceof Refusal) return decision;
  const [change] = decision;
  const isNarrower = change !== undefined && change.data.removedScopes.length > 0;
  const endsGrants = isNarrower ? await countExcessGrants(store, appId, change.data.scopes, at) : 0;
  return { before, change, endsGrants, revision: newest ? Number(newest.revision) + 1 : 0 };
}

const isRegistration = (recorded: Recorded): recorded is Recorded<ApplicationRegistered> =>
  recorded.event.type === 'application.registered';

async function registrationOf(
  log: EventLog,
  appId: string,
): Promise<Recorded<ApplicationRegistered> | undefined> {
  const recorded = await readNewest(
    log,
    () => log.read(streams.application(appId)),
    (found) => found.some(isRegistration),
  );
  return recorded.find(isRegistration);
}

export const updateApplicationHandler = handles(
  UpdateApplication,
  async ({ appId, asked, expected, metadata }, write) => {
    const plans: UpdatePlan[] = [];
    const { changed } = await write.project(
      aggregates.applicationChanges(appId),
      metadata,
      async (_newest, past) => {
        const plan = await planUpdate(write, { appId, asked, at: write.now() }, past);
        if (plan instanceof Refusal) return plan;
        plans.push(plan);
        return plan.change ? (conflictOf(plan, expected) ?? [plan.change]) : [];
      },
    );
    const { change, endsGrants = 0, revision = 0 } = plans.at(-1) ?? {};
    return { changed, fields: change?.data.changed ?? [], endsGrants, revision: revision + Number(changed) };
  },
);

function conflictOf(
  { revision, endsGrants, change }: UpdatePlan,
  expected: ExpectedUpdate,
): Refusal | undefined {
  if (expected.revision !== undefined && expected.revision !== revision)
    return new Refusal(
      'revision_conflict',
      `The application was changed meanwhile (${revision} changes, not ${expected.revision}): read it and decide again.`,
    );
  if (endsGrants === 0 || expected.endsGrants) return undefined;
  return new Refusal(
    'effect_mismatch',
    `This ends ${endsGrants} grants that have ${change?.data.removedScopes.join(' ')}, and nothing has changed yet: confirm it with --end-grants (endsGrants).`,
  );
}
