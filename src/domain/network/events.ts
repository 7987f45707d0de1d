import type { DomainEvent, Occurrence } from '../event.js';

/** The first fact of a log: which network it is the log of. */
export type NetworkFounded = DomainEvent<'network.founded', { readonly networkId: string } & Occurrence>;
