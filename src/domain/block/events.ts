import type { DomainEvent, EventTime } from '../event.js';

type BlockData = { readonly actorId: string; readonly targetActorId: string } & EventTime;

export type BlockEstablished = DomainEvent<'block.established', BlockData>;

export type BlockEnded = DomainEvent<'block.ended', BlockData>;

export type BlockEvent = BlockEstablished | BlockEnded;
