import type { Pool } from 'pg';
import type { EventLog } from '../../src/log/event-log.js';
import { Random } from '../audit/random.js';
import type { BenchNetwork } from '../network.js';
import { newReader } from '../reads/reader.js';
import type { Reader } from '../reads/reader.js';
import { seed, shown } from '../reads/seed.js';
import { numbered, Society } from '../society.js';
import { Person } from './person.js';

const [PEOPLE, FOLLOWED] = [80, 30];
const SEED = 34;
/** Actors that `seed` makes. Everybody follows them, and they act no more. */
const authors = numbered('author', 60);
const [toFollow, toBlock] = [authors.slice(0, 40), authors.slice(40, 50)];
/** Nobody asks for anything of theirs by itself, so nobody is refused. */
export const toSuspend = authors.slice(50);

/** Signs in people who follow each other, and whom others follow. */
export async function peopleOn(network: BenchNetwork, log: EventLog, pool: Pool): Promise<readonly Person[]> {
  const readers: Reader[] = [];
  // One after the other: each costs a hash of a password.
  while (readers.length < PEOPLE) readers.push(await newReader(network));
  const ids = readers.map(({ actorId }) => actorId);
  await seed(log, ids[0] ?? '', pool);
  await new Society(log).follows(
    ids.flatMap((actorId, n) =>
      [...(n === 0 ? [] : authors), ...[...ids, ...ids].slice(n + 1, n + 1 + FOLLOWED)].map((targetId) => ({
        actorId,
        targetId,
      })),
    ),
  );
  await shown(log, pool);
  const random = new Random(SEED);
  const shared = { posts: [], toFollow, toBlock };
  const people: Person[] = [];
  for (const reader of readers) people.push(await Person.of(reader, shared, random));
  return people;
}
