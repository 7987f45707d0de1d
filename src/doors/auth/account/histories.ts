import { z } from 'zod';
import type { AuditCursor } from '../../../../projections/audit/audit.read-model.js';
import type { NetworkCipher } from '../../../commands/support/network-cipher.js';
import { id } from '../../../domain/event.js';
import { LogUnavailable } from '../../../log/event-log.js';
import { HttpRefusal } from '../../../server/errors.js';
import { AuditChanged, CutOff } from '../own-data/own-facts.js';
import type { OwnFacts, OwnPage } from '../own-data/own-facts.js';
import type { History } from '../pages/own-data.js';
import { Fault } from '../rules/faults.js';
import { HISTORY_PATH } from '../settings.js';
import { queryOf } from '../storage/exchange.js';
import type { HttpExchange } from '../storage/exchange.js';

const NEWEST = 5;
const PAGE = 25;
const unreadable = [LogUnavailable, AuditChanged, CutOff, HttpRefusal] as const;

const shape = z.strictObject({ actorId: id, at: z.number(), position: z.string() });

/** Pages of the events of a person, for their account page. */
export class Histories {
  constructor(
    private readonly facts: OwnFacts,
    private readonly cipher: NetworkCipher,
  ) {}

  async newest(actorId: string): Promise<History> {
    const page = await this.read(actorId, undefined, NEWEST);
    return { facts: page?.facts, older: page?.next && HISTORY_PATH };
  }

  /** The page that the address names. @throws {Fault} `invalid_request`: it names none. Errors of the stores. */
  async page(actorId: string, exchange: HttpExchange): Promise<History> {
    const page = await this.read(actorId, await this.cursorIn(exchange, actorId), PAGE);
    const next = page?.next && (await this.cursor(page.next, actorId));
    return { facts: page?.facts, older: next && `${HISTORY_PATH}?before=${next}` };
  }

  /** Encrypted, since it may be the time and place of an event that the person must not know of, such as a block by another. */
  private cursor({ at, position }: AuditCursor, actorId: string): Promise<string> {
    return this.cipher.encrypt('history cursor', { actorId, at, position: String(position) });
  }

  private async cursorIn(exchange: HttpExchange, actorId: string): Promise<AuditCursor | undefined> {
    const text = queryOf(exchange, 'before');
    if (text === '') return undefined;
    const cursor = shape.safeParse(await this.cipher.decrypt('history cursor', text)).data;
    if (cursor?.actorId !== actorId)
      throw new Fault(400, 'invalid_request', 'This address names no page. Start again at the newest.');
    return { at: cursor.at, position: BigInt(cursor.position) };
  }

  /** Undefined: the log does not answer or is not that of the audit, or the network refuses reads. */
  private async read(
    actorId: string,
    before: AuditCursor | undefined,
    limit: number,
  ): Promise<OwnPage | undefined> {
    try {
      return await this.facts.page(actorId, { before, limit });
    } catch (error) {
      if (unreadable.some((kind) => error instanceof kind)) return undefined;
      throw error;
    }
  }
}
