import { grantLifetimeOf } from '../../domain/grant/lifetimes.js';
import type { UndecodedEvent } from '../../log/event-log.js';
import { InventedLog } from './invented-log.js';
import { idOf, Random } from './random.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** A Monday. */
const FIRST_DAY = Date.UTC(2026, 0, 5);
const DAYS = 8 * 7;
const PEOPLE = 150;
const SEED = 20_260_105;

const applications = [
  { appId: 'pebble', name: 'Pebble', share: 0.55, leaving: 0.1 },
  { appId: 'quill', name: 'Quill', share: 0.33, leaving: 0.45 },
  { appId: 'lantern', name: 'Lantern', share: 0.12, leaving: 0.05 },
] as const;

/** Weights of the hours of a day, UTC. */
const hours = [2, 1, 1, 1, 1, 2, 5, 10, 14, 12, 10, 10, 15, 13, 10, 10, 11, 14, 19, 24, 26, 22, 13, 6];
const SCOPES = ['read', 'post:create', 'relation:write', 'offline_access'];
/** Share of the days on which an application refreshes its tokens, with the person or without. */
const REFRESHING = 0.3;

interface Person {
  readonly actorId: string;
  readonly appId: string;
  /** Days since the first one. */
  readonly joins: number;
  readonly leaves: number;
  /** Chance to be active on the first days. */
  readonly eagerness: number;
  /** Weight of being noticed. */
  readonly fame: number;
}

interface Post {
  readonly postId: string;
  readonly author: Person;
  readonly rootId: string;
  readonly at: number;
}

/** Eight weeks of a network of 150 people that never existed, the same in each run. */
export function inventedTown(): readonly UndecodedEvent[] {
  const town = new Town();
  for (let day = 0; day < DAYS; day++) town.live(day);
  return town.log.stored();
}

class Town {
  readonly log = new InventedLog();
  private readonly random = new Random(SEED);
  private readonly people: readonly Person[];
  private readonly posts: Post[] = [];
  private readonly ties = new Set<string>();
  private readonly grants = new Map<Person, { readonly grantId: string; readonly issuedAt: number }>();
  private grantsIssued = 0;
  private reports = 0;

  constructor() {
    this.log.add('network.founded', FIRST_DAY, { networkId: 'invented' });
    for (const { appId } of applications)
      this.log.add(
        'application.registered',
        FIRST_DAY + MINUTE_MS,
        { ...this.registered(appId), scopes: SCOPES },
        { operatorId: 'shared-token' },
      );
    this.people = Array.from({ length: PEOPLE }, (_, n) => this.person(n));
    for (const person of this.people) this.settle(person);
  }

  live(day: number): void {
    for (const person of this.people) {
      this.refresh(person, day);
      const age = day - person.joins;
      if (age < 0 || day >= person.leaves) continue;
      const habit = person.eagerness * (0.25 + 0.75 * Math.exp(-age / 12));
      const isWeekend = day % 7 > 4;
      if (age === 0 || this.random.chance(habit * (isWeekend ? 1.15 : 0.9))) this.visit(person, day);
    }
  }

  private registered(appId: string) {
    const name = applications.find((each) => each.appId === appId)?.name ?? '';
    return { appId, name, redirectUris: [], postLogoutRedirectUris: [] };
  }

  private person(n: number): Person {
    const chosen =
      applications[this.random.weighted(applications.map(({ share }) => share))] ?? applications[0];
    const joins = Math.floor(DAYS * this.random.next() ** 1.6);
    const isLeaving = this.random.chance(chosen.leaving);
    return {
      actorId: idOf('actor', n),
      appId: chosen.appId,
      joins,
      leaves: isLeaving ? joins + 2 + Math.floor(25 * this.random.next()) : Infinity,
      eagerness: 0.25 + 0.7 * this.random.next(),
      fame: 1 / (1 + Math.floor(PEOPLE * this.random.next())) ** 0.8,
    };
  }

  private settle(person: Person): void {
    const at = this.moment(person.joins, 0);
    const { actorId, appId } = person;
    this.log.add('account.registered', at, { actorId }, { appId });
    this.consent(person, at + MINUTE_MS);
  }

  private consent(person: Person, at: number): string {
    const { actorId, appId } = person;
    const grantId = idOf('grant', this.grantsIssued++);
    const by = { actorId, appId, grantId };
    this.log.add('grant.issued', at, { ...by, scopes: SCOPES }, by);
    this.grants.set(person, { grantId, issuedAt: at });
    return grantId;
  }

  /** The usable grant at this time; undefined: the last one has expired. */
  private grantAt(person: Person, at: number): string | undefined {
    const grant = this.grants.get(person);
    return grant && grant.issuedAt < at && at < grant.issuedAt + grantLifetimeOf(SCOPES)
      ? grant.grantId
      : undefined;
  }

  /** Without the person; who leaves ends the grant. */
  private refresh(person: Person, day: number): void {
    const { actorId, appId, joins, leaves } = person;
    const isLeaving = day === leaves;
    if (day <= joins || day > leaves || (!isLeaving && !this.random.chance(REFRESHING))) return;
    const at = this.moment(day, 0);
    const grantId = this.grantAt(person, at);
    if (grantId === undefined) return;
    const by = { actorId, appId, grantId };
    if (!isLeaving) return this.log.add('grant.refreshed', at, by, by);
    const cause = this.random.chance(0.7) ? 'person' : 'client';
    this.log.add('grant.revoked', at, { ...by, cause }, { actorId });
  }

  private visit(person: Person, day: number): void {
    const begin = this.moment(day, day === person.joins ? 5 : 0);
    let at = begin;
    const grantId = this.grantAt(person, at) ?? this.consent(person, at);
    const by = { actorId: person.actorId, appId: person.appId, grantId };
    this.log.add('account.signed_in', at, { actorId: person.actorId }, { actorId: person.actorId });
    const later = () => (at += Math.ceil(4 * MINUTE_MS * this.random.next()));
    for (let n = this.random.count(0.9); n > 0; n--) this.post(person, by, later(), undefined);
    for (let n = this.random.count(2.2); n > 0; n--) {
      const post = this.posts[this.random.weighted(this.posts.map((each) => this.notice(each, begin)))];
      if (!post || post.at > at || post.author === person) continue;
      const { author, postId } = post;
      const act = this.random.weighted([5, 2, 2, 0.25]);
      if (act === 0) this.tie('like', person, author, postId, later(), by);
      else if (act === 1) this.tie('follow', person, author, author.actorId, later(), by);
      else if (act === 2) this.post(person, by, later(), post);
      else this.report(post, later(), by);
    }
  }

  /** Most reports are decided, half of them within nine hours. */
  private report(
    { postId, author }: Post,
    at: number,
    by: { readonly actorId: string; readonly appId: string },
  ) {
    const number = this.reports++;
    const [reportId, caseId] = [idOf('report', number), `post-${postId}`];
    const subject = { postId, targetActorId: author.actorId };
    const { actorId: reporterActorId, appId } = by;
    const reason = this.random.chance(0.7) ? 'spam' : 'harassment';
    this.log.add('report.created', at, { reportId, reporterActorId, appId, ...subject, reason }, by);
    const hour = 60 * MINUTE_MS;
    const decidedAt = at + Math.ceil(9 * hour * Math.exp(3.2 * (this.random.next() - 0.5)));
    if (decidedAt >= FIRST_DAY + DAYS * DAY_MS || this.random.chance(0.06)) return;
    const operatorId = 'moderator';
    this.log.add(
      'case.decided',
      decidedAt,
      {
        caseId,
        ...subject,
        operatorId,
        decisionId: idOf('decision', number),
        seenEventIds: [],
        outcome: 'violation',
        effects: [],
      },
      { operatorId },
      (position) => ({ networkRevision: position - 1 }),
    );
  }

  private post(author: Person, by: { readonly grantId: string }, at: number, parent: Post | undefined): void {
    const postId = idOf('post', this.posts.length);
    this.posts.push({ postId, author, rootId: parent?.rootId ?? postId, at });
    const { actorId, appId } = author;
    const reply = parent && {
      parentId: parent.postId,
      parentAuthorActorId: parent.author.actorId,
      rootId: parent.rootId,
    };
    this.log.add(
      'post.created',
      at,
      { postId, authorActorId: actorId, appId, audience: 'public', ...reply },
      { actorId, appId, grantId: by.grantId },
    );
  }

  private tie(
    kind: 'follow' | 'like',
    person: Person,
    target: Person,
    targetId: string,
    at: number,
    by: object,
  ): void {
    const tie = `${person.actorId} ${targetId}`;
    if (this.ties.has(tie)) return;
    this.ties.add(tie);
    const data = {
      kind,
      actorId: person.actorId,
      targetId,
      targetActorId: target.actorId,
      generation: 1,
    };
    this.log.add('relation.established', at, data, by);
  }

  private notice({ author, at }: Post, now: number): number {
    const days = (now - at) / DAY_MS;
    return days < 0 || days > 4 ? 0 : author.fame;
  }

  /** At a usual hour of the day, `after` minutes later. */
  private moment(day: number, after: number): number {
    const hour = this.random.weighted(hours);
    const minute = 60 * this.random.next();
    return FIRST_DAY + day * DAY_MS + Math.floor((hour * 60 + minute + after) * MINUTE_MS);
  }
}
