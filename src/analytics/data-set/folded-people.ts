import { grantLifetimeOf } from '../../domain/grant/lifetimes.js';
import type { Value } from '../columns/rows.js';
import { dayOf } from './paths.js';

export interface FoldedGrant {
  readonly grant_id: string;
  readonly app_id: string;
  readonly expires_at: number;
}

export interface FoldedPerson {
  registeredOn?: string | undefined;
  appId?: string | undefined;
  isSuspended: boolean;
  standingAt: number;
  follows: number;
  likes: number;
  replies: number;
  grants: readonly FoldedGrant[];
}

/** Columns that {@link FoldedPeople.fold} reads. */
export const foldedColumns = [
  'type',
  'position',
  'occurred_at',
  'actor_id',
  'by_app_id',
  'kind',
  'generation',
  'target_actor_id',
  'author_actor_id',
  'parent_author_actor_id',
  'grant_id',
  'app_id',
  'data',
] as const;

export type FoldableRow = Readonly<Record<string, Value>>;

const NOBODY = '';

/**
 * The events that a data set left out, as one row a person: what the views need of them, without who followed whom. An
 * erased person keeps the counts and the day of the registration, which the views count, too.
 */
export class FoldedPeople {
  constructor(readonly people = new Map<string, FoldedPerson>()) {}

  fold(row: FoldableRow): void {
    const of = (column: string) => this.person(String(row[column] ?? NOBODY));
    const at = Number(row['occurred_at']) / 1_000;
    const position = Number(row['position']);
    switch (String(row['type'])) {
      case 'account.registered':
        Object.assign(of('actor_id'), { registeredOn: dayOf(at), appId: row['by_app_id'] });
        break;
      case 'account.suspended':
      case 'account.reinstated': {
        const isSuspended = row['type'] === 'account.suspended';
        const person = of('actor_id');
        if (position > person.standingAt) Object.assign(person, { isSuspended, standingAt: position });
        break;
      }
      case 'account.erased':
        this.erase(String(row['actor_id']));
        break;
      case 'relation.established':
        if (row['generation'] !== 1n || row['target_actor_id'] === row['actor_id']) break;
        of('target_actor_id')[row['kind'] === 'like' ? 'likes' : 'follows'] += 1;
        break;
      case 'post.created':
        if (row['parent_author_actor_id'] === undefined) break;
        if (row['parent_author_actor_id'] !== row['author_actor_id'])
          of('parent_author_actor_id').replies += 1;
        break;
      case 'grant.issued':
        of('actor_id').grants = [...of('actor_id').grants, grantOf(row, at)];
        break;
      case 'grant.revoked':
        for (const person of [of('actor_id'), this.person(NOBODY)])
          person.grants = person.grants.filter(({ grant_id: id }) => id !== row['grant_id']);
        break;
      default:
    }
  }

  erase(actorId: string): boolean {
    const person = this.people.get(actorId);
    if (!person) return false;
    const nobody = this.person(NOBODY);
    nobody.grants = [...nobody.grants, ...person.grants];
    Object.assign(person, { appId: undefined, isSuspended: false, standingAt: 0, grants: [] });
    return true;
  }

  forgetGrantsExpiredBy(at: number): void {
    for (const person of this.people.values())
      person.grants = person.grants.filter(({ expires_at: expiresAt }) => expiresAt > at);
  }

  private person(actorId: string): FoldedPerson {
    const known = this.people.get(actorId);
    if (known) return known;
    const person = { isSuspended: false, standingAt: 0, follows: 0, likes: 0, replies: 0, grants: [] };
    this.people.set(actorId, person);
    return person;
  }
}

function grantOf(row: FoldableRow, at: number): FoldedGrant {
  const { scopes } = JSON.parse(String(row['data'])) as { readonly scopes: readonly string[] };
  return {
    grant_id: String(row['grant_id']),
    app_id: String(row['app_id']),
    expires_at: at + grantLifetimeOf(scopes),
  };
}
