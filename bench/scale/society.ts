import { derivedUuid } from '../../src/base/support/derived-uuid.js';

export interface Extent {
  readonly actors: number;
  readonly posts: number;
}

const FOLLOWED_BY_CURIOUS = 1_000;

/** Actors have ranks, from 0: the first ones write most and are followed most. */
export const actorOf = (rank: number): string => derivedUuid(`actor ${rank}`);
export const handleOf = (rank: number): string => `person${rank}`;
/** Has an inbox entry for each ten posts of the network, and has read none. */
export const full = derivedUuid('full');
/** Follows the first thousand actors. */
export const curious = derivedUuid('curious');

const actorsBelow = (rank: number): string[] => Array.from({ length: rank }, (_, n) => actorOf(n));

export const followedByCurious = ({ actors }: Extent): string[] =>
  actorsBelow(Math.min(actors, FOLLOWED_BY_CURIOUS));

/** Each at the index of their rank, then the special ones. */
export const peopleOf = ({ actors }: Extent): string[] => [...actorsBelow(actors), full, curious];

export const grantOf = (actorId: string): string => derivedUuid(`grant ${actorId}`);
export const postOf = (n: number): string => derivedUuid(`post ${n}`);
