import { Injectable } from '@nestjs/common';
import type { OperatorNameReserved } from '../../domain/operator/events.js';
import { isConfusable, operatorNameKey } from '../../domain/operator/name.js';
import { nameTaken, reserveName } from '../../domain/operator/name-reservation.js';
import type { NameHolder, NameReservation, WantedName } from '../../domain/operator/name-reservation.js';
import { evolveOperator, noOperator } from '../../domain/operator/operator.js';
import type { OperatorEvent } from '../../domain/operator/operator.js';
import { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { namedOperators } from '../../base/store/authority/named-operators.js';
import { Clock } from '../../base/support/clock.js';
import { handleCommand, newestEventOf } from '../support/handle-command.js';
import { HandleDigest } from '../support/handle-digest.js';
import { IdGenerator } from '../../base/support/id-generator.js';

const nobody: NameHolder = { revision: -1, status: 'none' };

/** Keeps two operators who are not suspended from having one name. */
@Injectable()
export class OperatorNames {
  constructor(
    private readonly log: EventLog,
    private readonly store: AuthorityStore,
    private readonly digest: HandleDigest,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /**
   * Reserves a name for an operator, before the append that invites or reinstates them and expects this revision. Returns
   * their id: with `mayFinish` perhaps that of an invitation which never came to its end.
   * @throws {Refusal} `intent_conflict`: another operator has the name. Errors of log and store.
   */
  async reserve(name: string, wanted: Omit<WantedName, 'at'>, metadata: EventMetadata): Promise<string> {
    // Operators of a release without reservations have none.
    await requireUnusedName(this.store, name, wanted.operatorId);
    let holder = nobody;
    const { past, added } = await handleCommand<NameReservation | undefined, OperatorNameReserved>(
      this.log,
      this.ids,
      {
        stream: streams.operatorName(await this.digest.ofOperatorName(operatorNameKey(name))),
        read: async (log, stream) => {
          const newest = await newestEventOf(log, stream);
          holder = await this.holderOf(newest[0]?.event as OperatorNameReserved | undefined);
          return newest;
        },
        initial: undefined,
        evolve: (_earlier, { data }) => data,
        decide: (held) => reserveName(held, holder, { ...wanted, at: this.clock.now() }),
        metadata,
      },
    );
    return [...past, ...added].at(-1)?.event.data.operatorId ?? wanted.operatorId;
  }

  private async holderOf(reserved: OperatorNameReserved | undefined): Promise<NameHolder> {
    if (!reserved) return nobody;
    const past = await this.log.read(streams.operator(reserved.data.operatorId));
    const { status } = past.map(({ event }) => event as OperatorEvent).reduce(evolveOperator, noOperator);
    return { revision: Number(past.at(-1)?.revision ?? -1), status };
  }
}

/**
 * As far as the authority store knows. `operatorId`: of whom the name is for.
 * @throws {Refusal} `intent_conflict`
 */
export async function requireUnusedName(
  store: AuthorityStore,
  name: string,
  operatorId?: string,
): Promise<void> {
  const other = (await namedOperators(store)).find(
    (each) => !each.isSuspended && each.operatorId !== operatorId && isConfusable(name, each),
  );
  if (other) throw nameTaken(other.operatorId);
}
