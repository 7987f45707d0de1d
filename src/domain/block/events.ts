import type { DomainEvent, Occurrence } from '../event.js';

type OfBlock = { readonly actorId: string; readonly targetActorId: string } & Occurrence;

/** `actorId` blocks `targetActorId`. It stands in the stream of the two, behind the ends of what they followed. */
export type BlockEstablished = DomainEvent<'block.established', OfBlock>;

export type BlockEnded = DomainEvent<'block.ended', OfBlock>;

export type BlockEvent = BlockEstablished | BlockEnded;
