import { InventedLog } from '../../../src/analytics/demo/invented-log.js';
import { idOf, Random } from '../../../src/analytics/demo/random.js';
import { grantLifetimeOf } from '../../../src/domain/grant/lifetimes.js';
import type { EventMetadata } from '../../../src/log/recorded.js';
import type { EventType } from '../../../src/log/registry.js';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 75;
const PEOPLE = 16;
const apps = ['pebble', 'quill'] as const;

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
const mondayOf = (day: string): string => {
  const at = Date.parse(day);
  return dayOf(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS);
};

export function daysOf(begin: number, end: number): readonly string[] {
  const days: string[] = [];
  for (let at = Date.parse(dayOf(begin)); at < end; at += DAY_MS) days.push(dayOf(at));
  return days;
}

interface Told {
  readonly type: EventType;
  readonly at: number;
  readonly actorId: string;
}

interface Added {
  readonly type: EventType;
  readonly at: number;
  readonly data: object;
  readonly metadata: Partial<EventMetadata>;
}

interface ToldGrant {
  readonly appId: string;
  readonly issuedAt: number;
  readonly lifetime: number;
  readonly revokedAt: number;
}

interface ToldNotice {
  readonly at: number;
  readonly of: 'follows' | 'likes' | 'replies';
  readonly targetId: string;
}

interface ToldReport {
  readonly at: number;
  readonly subject: string;
}

/** The types that make a person active, in other words than the product's. */
export const acts: readonly EventType[] = [
  'post.created',
  'post.edited',
  'post.deleted',
  'relation.established',
  'relation.ended',
  'block.established',
  'block.ended',
  'profile.changed',
  'inbox.read',
  'report.created',
  'case.appealed',
];

const actorsOf = (events: readonly Added[]): number =>
  new Set(events.map((each) => each.metadata.actorId)).size;

type Key = readonly (string | number | undefined)[];

/** In the order of the keys. */
function groupsOf<Of extends Key>(events: readonly Added[], keyOf: (event: Added) => Of) {
  const groups = Map.groupBy(events, (event) => JSON.stringify(keyOf(event)));
  return [...groups]
    .map(([key, of]) => [JSON.parse(key) as Of, of] as const)
    .sort(([a], [b]) => {
      const at = a.findIndex((part, n) => part !== b[n]);
      return String(a[at]) < String(b[at]) ? -1 : 1;
    });
}

/** Random events of a few people over ten weeks, and the figures as a person with paper would count them. */
export class History {
  readonly log = new InventedLog();
  readonly begin = Date.UTC(2026, 2, 4);
  readonly end: number;
  private readonly told: Told[] = [];
  private readonly given: ToldGrant[] = [];
  private readonly reported: ToldReport[] = [];
  private readonly decided: ToldReport[] = [];
  private readonly noticed: ToldNotice[] = [];
  private readonly stood: Told[] = [];
  private readonly added: Added[] = [];
  private readonly random: Random;

  constructor(seed: number) {
    this.random = new Random(seed);
    this.end = this.begin + DAYS * DAY_MS + Math.floor(this.random.next() * DAY_MS);
    this.add('network.founded', this.begin, { networkId: 'history' });
    for (const appId of apps) {
      const application = { appId, name: appId, redirectUris: [], postLogoutRedirectUris: [], scopes: [] };
      this.add('application.registered', this.begin, application);
    }
    for (let n = 0; n < PEOPLE; n++) this.person(`actor-${seed}-${n}`, n);
  }

  /** Days that are over. */
  get wholeDays(): readonly string[] {
    return daysOf(this.begin, this.end).filter((day) => Date.parse(day) + DAY_MS <= this.end);
  }

  daily(day: string) {
    const { active, new: newcomers, returning } = this.rolling(day, 1);
    const [signedIn, refreshed] = [
      this.who(day, 1, ['account.signed_in']),
      this.who(day, 1, ['grant.refreshed']),
    ];
    const present = this.who(day, 1, [...acts, 'account.signed_in', 'grant.refreshed']);
    return {
      day,
      active,
      new: newcomers,
      returning,
      signed_in: signedIn.size,
      refreshed: refreshed.size,
      present: present.size,
    };
  }

  rolling(day: string, days: number) {
    const active = this.who(day, days, acts);
    const registered = this.who(day, days, ['account.registered']);
    const newcomers = [...active].filter((actorId) => registered.has(actorId)).length;
    const figures = { day, active: active.size, new: newcomers, returning: active.size - newcomers };
    if (days !== 28) return figures;
    return { ...figures, stickiness: active.size === 0 ? null : this.who(day, 1, acts).size / active.size };
  }

  /** An erased person keeps the counts and the day of the registration. */
  people(pseudonymOf: (id: string) => string) {
    const registered = this.told.filter(({ type }) => type === 'account.registered');
    return registered.map(({ actorId, at }) => {
      const of = (kind: ToldNotice['of']) =>
        this.noticed.filter((notice) => notice.of === kind && notice.targetId === actorId).length;
      const events = this.stood.filter((each) => each.actorId === actorId).toSorted((a, b) => a.at - b.at);
      return {
        actor_id: pseudonymOf(actorId),
        registered_on: dayOf(at),
        app: events.some(({ type }) => type === 'account.erased') ? null : apps[0],
        is_suspended: events.at(-1)?.type === 'account.suspended',
        follows: of('follows'),
        likes: of('likes'),
        replies: of('replies'),
      };
    });
  }

  /** Events that people caused in each hour of the week, but for the refreshes of applications. */
  hours() {
    const caused = this.added.filter(
      ({ type, metadata }) => metadata.actorId !== undefined && type !== 'grant.refreshed',
    );
    return Array.from({ length: 7 * 24 }, (_, n) => {
      const [weekday, hour] = [Math.floor(n / 24) + 1, n % 24];
      const isIn = (at: Date) => (at.getUTCDay() || 7) === weekday && at.getUTCHours() === hour;
      const of = caused.filter(({ at }) => isIn(new Date(at)));
      return {
        weekday,
        hour,
        events: of.length,
        actors: new Set(of.map((each) => each.metadata.actorId)).size,
      };
    });
  }

  /** Events through each application. */
  reach() {
    const actOf = ({ type, data }: Added) => ('kind' in data ? `${type} (${String(data.kind)})` : type);
    return groupsOf(this.through(), (each) => [each.metadata.appId, actOf(each)]).map(([[app, act], of]) => {
      const targets = of.flatMap(({ data, metadata }) => {
        const { targetActorId, parentAuthorActorId } = data as Readonly<Record<string, string | undefined>>;
        const target = targetActorId ?? parentAuthorActorId;
        return target === undefined || target === metadata.actorId ? [] : [target];
      });
      return { app, act, events: of.length, actors: actorsOf(of), targets: new Set(targets).size };
    });
  }

  /** Events through each application in each hour that is over, from the first whole day after `from`. */
  impact(from: number) {
    const first = Math.ceil(from / DAY_MS) * DAY_MS;
    const hourOf = (at: number) => at - (at % HOUR_MS);
    const known = this.through().filter(({ at }) => at >= first && hourOf(at) + HOUR_MS <= this.end);
    return groupsOf(known, (each) => [each.metadata.appId, hourOf(each.at), each.type]).map(
      ([[app, hour, type], of]) => ({ app, hour, type, events: of.length, actors: actorsOf(of) }),
    );
  }

  posts(days: readonly string[]) {
    const posted = this.added.filter(({ type, at }) => type === 'post.created' && days.includes(dayOf(at)));
    return groupsOf(posted, (each) => [dayOf(each.at), each.metadata.appId]).map(([[day, app], of]) => ({
      day,
      app,
      posts: of.length,
      authors: actorsOf(of),
    }));
  }

  /** Acts of people through applications: not on the account page, and none of operators. */
  private through(): readonly Added[] {
    return this.added.filter(({ data, metadata: { appId, actorId } }) => {
      const isOfAccountPage = 'cause' in data && data.cause === 'person';
      return appId !== undefined && actorId !== undefined && !isOfAccountPage;
    });
  }

  /** `isKnown`: people who registered before are. */
  retention(since: number, isKnown: boolean) {
    const registered = this.told.filter(({ type }) => type === 'account.registered');
    const cohorts = [...new Set(registered.map(({ at }) => mondayOf(dayOf(at))))].sort();
    return cohorts
      .filter((cohort) => isKnown || Date.parse(cohort) >= since)
      .flatMap((cohort) =>
        Array.from({ length: 26 }, (_, weeks) => {
          const people = registered
            .filter(({ at }) => mondayOf(dayOf(at)) === cohort)
            .map(({ actorId }) => actorId);
          const end = Date.parse(cohort) + (weeks + 1) * 7 * DAY_MS;
          const who = this.who(dayOf(end - DAY_MS), 7, acts);
          const active = people.filter((actorId) => who.has(actorId)).length;
          return {
            end,
            row: { cohort, weeks_later: weeks, people: people.length, active, share: active / people.length },
          };
        }),
      )
      .filter(({ end }) => end <= this.end && end - 7 * DAY_MS >= since)
      .map(({ row }) => row);
  }

  decisionSpeed(since: number) {
    const weeks = [...new Set(daysOf(this.begin, this.end).map(mondayOf))];
    return weeks
      .filter((week) => Date.parse(week) >= since && Date.parse(week) + 10 * DAY_MS <= this.end)
      .map((week) => {
        const reports = this.reported.filter(({ at }) => mondayOf(dayOf(at)) === week);
        const hours = reports.flatMap(({ at, subject }) => {
          const later = this.decided.filter((decision) => decision.subject === subject && decision.at > at);
          return later.length > 0
            ? [(Math.min(...later.map((decision) => decision.at)) - at) / 3_600_000]
            : [];
        });
        const sorted = hours.toSorted((a, b) => a - b);
        const middle = [
          sorted[Math.floor((sorted.length - 1) / 2)],
          sorted[Math.ceil((sorted.length - 1) / 2)],
        ];
        const share = (most: number) =>
          reports.length === 0 ? null : hours.filter((each) => each <= most).length / reports.length;
        return {
          week,
          reports: reports.length,
          decided: hours.length,
          median_hours: hours.length === 0 ? null : ((middle[0] ?? 0) + (middle[1] ?? 0)) / 2,
          share_24_hours: share(24),
          share_72_hours: share(72),
        };
      });
  }

  grants(days: readonly string[]) {
    return days.flatMap((day) => {
      const [from, until] = [Date.parse(day), Date.parse(day) + DAY_MS];
      const isIn = (at: number) => at >= from && at < until;
      return apps
        .filter((appId) => this.given.some((grant) => grant.appId === appId))
        .map((appId) => {
          const own = this.given.filter((grant) => grant.appId === appId);
          const ends = ({ issuedAt, lifetime }: ToldGrant) => issuedAt + lifetime;
          const isUsable = (grant: ToldGrant) =>
            grant.issuedAt < until && grant.revokedAt >= until && grant.issuedAt > until - grant.lifetime;
          return {
            day,
            app_id: appId,
            app: appId,
            issued: own.filter(({ issuedAt }) => isIn(issuedAt)).length,
            revoked: own.filter((grant) => isIn(grant.revokedAt) && grant.revokedAt < ends(grant)).length,
            expired: own.filter((grant) => isIn(ends(grant) - 1) && grant.revokedAt >= ends(grant)).length,
            active: own.filter(isUsable).length,
          };
        });
    });
  }

  /** The people with an event of these types in the days that end with this one. */
  private who(day: string, days: number, types: readonly EventType[]): ReadonlySet<string> {
    const until = Date.parse(day) + DAY_MS;
    const found = this.told.filter(
      ({ type, at }) => types.includes(type) && at < until && at >= until - days * DAY_MS,
    );
    return new Set(found.map(({ actorId }) => actorId));
  }

  private moment(from: number): number {
    return from + Math.floor((this.random.next() * (this.end - from)) / SECOND_MS) * SECOND_MS;
  }

  private add<Type extends EventType>(...added: Parameters<typeof this.log.add<Type>>): void {
    const [type, at, data, metadata = {}] = added;
    this.added.push({ type, at, data, metadata });
    this.log.add(...added);
  }

  private tell(type: EventType, at: number, actorId: string, data: object = {}, metadata: object = {}): void {
    this.told.push({ type, at, actorId });
    this.add(type, at, data, { actorId, appId: apps[0], ...metadata });
  }

  private person(actorId: string, n: number): void {
    // Most join early, so that there is something before a cut.
    const joined = this.begin + Math.floor((this.moment(this.begin) - this.begin) * this.random.next() ** 2);
    this.told.push({ type: 'account.registered', at: joined, actorId });
    this.add('account.registered', joined, { actorId }, { appId: apps[0] });
    for (const [type, chance] of [
      ['account.suspended', 0.5],
      ['account.reinstated', 0.3],
      ['account.erased', 0.2],
    ] as const) {
      if (!this.random.chance(chance)) continue;
      const at = this.moment(joined);
      this.add(type, at, { actorId }, { operatorId: 'o' });
      this.stood.push({ type, at, actorId });
    }
    for (let times = this.random.count(1.5); times > 0; times--) this.grant(actorId, this.moment(joined));
    for (let times = this.random.count(3); times > 0; times--)
      this.tell('account.signed_in', this.moment(joined), actorId, { actorId });
    const habit = 1 + 30 * this.random.next();
    for (let times = this.random.count(habit); times > 0; times--) {
      const often = ['post.created', 'relation.established', 'relation.established'] as const;
      const from = this.random.chance(0.5) ? often : acts;
      const type = from[Math.floor(this.random.next() * from.length)] ?? 'post.created';
      const at = this.moment(joined);
      if (type === 'report.created') this.report(actorId, at);
      else
        this.tell(type, at, actorId, { ...this.dataOf(type, actorId), ...this.noticing(type, at, actorId) });
    }
    // The end of a relation by the block of another is no act of the person who is named.
    const blocker = `actor-other-${n}`;
    const ended = { ...this.dataOf('relation.ended', actorId), cause: 'block' as const };
    this.add('relation.ended', this.moment(joined), ended, { actorId: blocker, appId: apps[0] });
  }

  /** Another person who is followed, liked or replied to, or the person alone, whom nobody counts. */
  private noticing(type: EventType, at: number, actorId: string): object {
    const targetId = `${actorId.slice(0, actorId.lastIndexOf('-'))}-${Math.floor(this.random.next() * PEOPLE)}`;
    const generation = this.random.chance(0.8) ? 1 : 2;
    const kind = this.random.chance(0.5) ? 'follow' : 'like';
    const isNoticed = targetId !== actorId;
    if (type === 'post.created' && this.random.chance(0.5)) {
      if (isNoticed) this.noticed.push({ at, of: 'replies', targetId });
      return { parentId: 'parent', parentAuthorActorId: targetId, rootId: 'parent' };
    }
    if (type !== 'relation.established') return {};
    if (isNoticed && generation === 1)
      this.noticed.push({ at, of: kind === 'follow' ? 'follows' : 'likes', targetId });
    return { kind, generation, targetId, targetActorId: targetId };
  }

  private dataOf(type: EventType, actorId: string): object {
    const relation = { kind: 'follow', actorId, targetId: 'target', targetActorId: 'target', generation: 1 };
    const post = { postId: 'post', authorActorId: actorId };
    const fields: Partial<Record<EventType, object>> = {
      'post.created': { ...post, appId: apps[0], audience: 'public' },
      'post.edited': { ...post, appId: apps[0], revision: 2 },
      'post.deleted': post,
      'relation.established': relation,
      'relation.ended': { ...relation, cause: 'actor' },
      'profile.changed': { actorId, revision: 2 },
      'inbox.read': { actorId, ids: [] },
      'case.appealed': { caseId: 'case', decisionId: 'decision', targetActorId: actorId },
    };
    return fields[type] ?? { actorId, targetActorId: 'target' };
  }

  private grant(actorId: string, issuedAt: number): void {
    const appId = apps[Math.floor(this.random.next() * apps.length)] ?? apps[0];
    const scopes = this.random.chance(0.7) ? ['read', 'offline_access'] : ['read'];
    const grantId = idOf(actorId, this.given.length);
    const lifetime = grantLifetimeOf(scopes);
    const isRevoked = this.random.chance(0.5);
    const revokedAt = isRevoked ? this.moment(issuedAt + SECOND_MS) : Infinity;
    this.add('grant.issued', issuedAt, { grantId, appId, actorId, scopes }, { actorId, appId, grantId });
    for (let times = this.random.count(2); times > 0; times--)
      this.tell(
        'grant.refreshed',
        this.moment(issuedAt),
        actorId,
        { grantId, appId, actorId },
        { appId, grantId },
      );
    if (isRevoked) this.revoke({ grantId, appId, actorId }, revokedAt);
    this.given.push({ appId, issuedAt, lifetime, revokedAt });
  }

  private revoke(
    grant: { readonly grantId: string; readonly appId: string; readonly actorId: string },
    at: number,
  ) {
    const causes = ['person', 'operator', 'client'] as const;
    const cause = causes[Math.floor(this.random.next() * causes.length)] ?? 'person';
    const { actorId, ...through } = grant;
    const by = cause === 'operator' ? { operatorId: 'o' } : { actorId };
    this.add('grant.revoked', at, { ...grant, cause }, { ...through, ...by });
  }

  private report(reporterActorId: string, at: number): void {
    const subject = `reported-${this.reported.length}`;
    const about = { targetActorId: subject };
    const data = { reportId: subject, reporterActorId, appId: apps[0], reason: 'spam' as const, ...about };
    this.tell('report.created', at, reporterActorId, data);
    this.reported.push({ at, subject });
    if (this.random.chance(0.2)) return;
    const decidedAt = at + (1 + Math.floor(this.random.next() ** 2 * 5 * 24 * 3_600)) * SECOND_MS;
    if (decidedAt >= this.end) return;
    this.decided.push({ at: decidedAt, subject });
    this.add(
      'case.decided',
      decidedAt,
      {
        caseId: subject,
        ...about,
        operatorId: 'o',
        decisionId: subject,
        seenEventIds: [],
        outcome: 'violation',
        effects: [],
      },
      { operatorId: 'o' },
      (position) => ({ networkRevision: position - 1 }),
    );
  }
}
