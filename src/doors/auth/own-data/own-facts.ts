import type { AuditCursor, AuditedEvent } from '../../../../projections/audit/audit.read-model.js';
import { eventsOfPerson } from '../../../../projections/audit/person.read-model.js';
import type { PersonsPage } from '../../../../projections/audit/person.read-model.js';
import { inboxOf } from '../../../../projections/inbox/inbox.read-model.js';
import { publicProfiles } from '../../../../projections/profile/profile.read-model.js';
import type { Keyset } from '../../../../projections/runner/page-query.js';
import type { Postgres } from '../../../base/store/postgres.js';
import type { EventLog } from '../../../log/event-log.js';
import type { Recorded } from '../../../log/recorded.js';
import type { PersonsReads } from '../../api/admission/persons-reads.js';
import { causedTypes, concerningTypes, INBOX_ENTRY, inboxEntry, ownLineRules } from './own-events.js';

/**
 * An event of a person, or an entry of their inbox, with the fields that they may have. `through`: the application that acted for
 * them. `handles`: of the other people in it whom the person may see now. `applications`: names.
 */
export interface OwnFact {
  readonly at: number;
  readonly type: string;
  readonly position: number;
  readonly through?: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  readonly handles: Readonly<Record<string, string>>;
  readonly applications: Readonly<Record<string, string>>;
}

type BareFact = Omit<OwnFact, 'handles' | 'applications'>;

export interface OwnPage {
  readonly facts: readonly OwnFact[];
  readonly next: AuditCursor | undefined;
}

interface InboxPage {
  readonly facts: readonly OwnFact[];
  readonly next: Keyset | undefined;
}

/** Entries of the inbox that one statement reads. */
const INBOX_PAGE = 100;

/** Reads the events of a person and their inbox, with the names that they may see. */
export class OwnFacts {
  constructor(
    private readonly postgres: Postgres,
    private readonly log: EventLog,
    private readonly reads: PersonsReads,
  ) {}

  /**
   * A page of the events of a person, newest first; it may be short or empty although others follow.
   * @throws {AuditChanged} {@link CutOff} the key of the person is destroyed. {@link HttpRefusal} the network refuses reads.
   * Errors of the stores.
   */
  async page(actorId: string, page: PersonsPage): Promise<OwnPage> {
    const person = { actorId, caused: causedTypes, concerning: concerningTypes };
    const found = await eventsOfPerson(this.postgres.pool, person, page);
    if (!found) throw new AuditChanged('the audit was emptied meanwhile');
    const recorded = await Promise.all(found.events.map((event) => this.read(event)));
    const bare = recorded.flatMap((each) => factOf(each, actorId) ?? []);
    return { facts: await this.named(actorId, bare), next: found.next };
  }

  /** A page of the inbox as the person can see it now, up to a position of the log, newest first. @throws as {@link page} */
  async inbox(actorId: string, upTo: bigint, after: Keyset | undefined): Promise<InboxPage> {
    const page = await this.reads.read(actorId, inboxOf, { scan: INBOX_PAGE, after });
    const entries = (page?.items ?? []).filter(({ key: [position = 0n] }) => position <= upTo);
    const bare = entries.map(({ key: [position], item }) => ({
      at: item.createdAt,
      type: INBOX_ENTRY,
      position: Number(position),
      data: pick<unknown>({ ...item }, inboxEntry.fields),
    }));
    return { facts: await this.named(actorId, bare), next: page?.last ?? undefined };
  }

  private async read({ stream, revision, eventId }: AuditedEvent): Promise<Recorded> {
    const [recorded] = await this.log.read(stream, { from: revision, limit: 1 });
    if (recorded?.id !== eventId)
      throw new AuditChanged(`the log does not have the event ${eventId} of the audit`);
    if (recorded.erased) throw erasedMeanwhile();
    return recorded;
  }

  private async named(actorId: string, bare: readonly BareFact[]): Promise<readonly OwnFact[]> {
    const [handles, applications] = await Promise.all([
      this.handles(actorId, bare.flatMap(peopleIn)),
      this.applications(bare.flatMap(applicationsIn)),
    ]);
    return bare.map((fact) => ({
      ...fact,
      handles: pick(handles, peopleIn(fact)),
      applications: pick(applications, applicationsIn(fact)),
    }));
  }

  private async handles(actorId: string, people: readonly string[]): Promise<Names> {
    const actorIds = [...new Set(people)].filter((id) => id !== actorId);
    if (actorIds.length === 0) return {};
    const profiles = await this.reads.read(actorId, publicProfiles, { actorIds });
    return Object.fromEntries([...profiles].flatMap(([id, { handle }]) => (handle ? [[id, handle]] : [])));
  }

  private async applications(ids: readonly string[]): Promise<Names> {
    if (ids.length === 0) return {};
    const { rows } = await this.postgres.pool.query<{ id: string; name: string }>(
      'SELECT app_id AS id, name FROM authority.application WHERE app_id = ANY ($1)',
      [[...new Set(ids)]],
    );
    return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
  }
}

/** The worker fills the audit anew, or the log was replaced. */
export class AuditChanged extends Error {
  override readonly name = 'AuditChanged';
}

/** Ends a download. The message is for its person. */
export class CutOff extends Error {
  override readonly name = 'CutOff';
}

export const erasedMeanwhile = (): CutOff => new CutOff('Your account was deleted meanwhile.');

type Names = Readonly<Record<string, string>>;

/** Undefined: the event is not of this person, or its rule leaves it out. */
export function factOf({ event, metadata, position }: Recorded, actorId: string): BareFact | undefined {
  const rule = ownLineRules[event.type];
  const data: Readonly<Record<string, unknown>> = { ...event.data };
  if (!rule || data[rule.owner] !== actorId || rule.isShown?.(data) === false) return undefined;
  const isOwn = metadata.actorId === actorId;
  if (rule.by === 'owner' && !isOwn) return undefined;
  return {
    at: event.data.at,
    type: event.type,
    position: Number(position),
    // The application of somebody else would tell who that is.
    through: isOwn ? metadata.appId : undefined,
    data: pick(data, rule.fields),
  };
}

function pick<Value>(
  values: Readonly<Record<string, Value>>,
  names: readonly string[],
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const strings = (values: readonly unknown[]): readonly string[] =>
  values.filter((value) => typeof value === 'string');

const peopleIn = ({ data }: BareFact): readonly string[] =>
  strings(
    [data['parentAuthorActorId'], data['targetActorId'], data['sourceActorId'], data['mentions']].flat(),
  );

const applicationsIn = ({ data, through }: BareFact): readonly string[] => strings([data['appId'], through]);
