import type { AuditCursor } from '../../../../projections/audit/audit.read-model.js';
import { LogUnavailable } from '../../../log/event-log.js';
import { HttpRefusal } from '../../../server/errors.js';
import { AuditChanged } from '../own-data/own-facts.js';
import type { OwnFacts, OwnPage } from '../own-data/own-facts.js';
import type { History } from '../pages/own-data.js';
import { Fault } from '../rules/faults.js';
import { HISTORY_PATH } from '../settings.js';
import type { HttpExchange } from '../storage/exchange.js';

const NEWEST = 5;
const PAGE = 25;
const unreadable = [LogUnavailable, AuditChanged, HttpRefusal] as const;

/** Pages of the events of a person, for their account page. */
export class Histories {
  constructor(private readonly facts: OwnFacts) {}

  async newest(actorId: string): Promise<History> {
    const page = await this.read(actorId, undefined, NEWEST);
    return { facts: page?.facts, older: page?.next && HISTORY_PATH };
  }

  /** The page that the address names. @throws {Fault} `invalid_request`: it names none. Errors of the stores. */
  async page(actorId: string, { request }: HttpExchange): Promise<History> {
    const page = await this.read(actorId, cursorIn(request.url), PAGE);
    const next = page?.next;
    return { facts: page?.facts, older: next && `${HISTORY_PATH}?before=${next.at}.${next.position}` };
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

function cursorIn(url = ''): AuditCursor | undefined {
  const text = new URLSearchParams(url.split('?')[1]).get('before');
  if (text === null) return undefined;
  const [, at, position] = /^(\d{1,16})\.(\d{1,18})$/.exec(text) ?? [];
  if (at === undefined || position === undefined)
    throw new Fault(400, 'invalid_request', 'This address names no page. Start again at the newest.');
  return { at: Number(at), position: BigInt(position) };
}
