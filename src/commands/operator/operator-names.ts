import { Injectable } from '@nestjs/common';
import type { OperatorNameReserved } from '../../domain/operator/events.js';
import { isConfusable, operatorNameKey } from '../../domain/operator/name.js';
import { nameTaken, reserveName } from '../../domain/operator/name-reservation.js';
import type { NameHolder, NameReservation, WantedName } from '../../domain/operator/name-reservation.js';
import type { EventLog } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { streams } from '../../log/streams.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import { namedOperators } from '../../base/store/authority/named-operators.js';
import { aggregates, stateAfter } from '../support/aggregates.js';
import { newestEventOf } from '../support/handle-command.js';
import { HandleDigest } from '../support/handle-digest.js';
import { WriteSide } from '../support/write-side.js';

const nobody: NameHolder = { revision: -1, status: 'none' };

/** Keeps two operators who are not suspended from having one name. */
@Injectable()
export class OperatorNames {
  constructor(
    private readonly write: WriteSide,
    private readonly digest: HandleDigest,
  ) {}

  /**
   * Reserves a name for an operator, before the append that invites or reinstates them and expects this revision. Returns
   * their id: with `mayFinish` perhaps that of an invitation which never came to its end.
   * @throws {Refusal} `intent_conflict`: another operator has the name. Errors of log and store.
   */
  async reserve(name: string, wanted: Omit<WantedName, 'at'>, metadata: EventMetadata): Promise<string> {
    // Operators of a release without reservations have none.
    await requireUnusedName(this.write.store, name, wanted.operatorId);
    let holder = nobody;
    const reservation = {
      stream: streams.operatorName(await this.digest.ofOperatorName(operatorNameKey(name))),
      read: async (log: EventLog, stream: string) => {
        const newest = await newestEventOf(log, stream);
        holder = await this.holderOf(newest[0]?.event as OperatorNameReserved | undefined);
        return newest;
      },
      initial: undefined,
      evolve: (_earlier: NameReservation | undefined, { data }: OperatorNameReserved) => data,
    };
    const { past, added } = await this.write.change<NameReservation | undefined, OperatorNameReserved>(
      reservation,
      metadata,
      (held) => reserveName(held, holder, { ...wanted, at: this.write.now() }),
    );
    return [...past, ...added].at(-1)?.event.data.operatorId ?? wanted.operatorId;
  }

  private async holderOf(reserved: OperatorNameReserved | undefined): Promise<NameHolder> {
    if (!reserved) return nobody;
    const operator = aggregates.operator(reserved.data.operatorId);
    const past = await this.write.log.read(operator.stream);
    const { status } = stateAfter(operator, past);
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
