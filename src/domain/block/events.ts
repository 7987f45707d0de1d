import { event, id, pseudonym } from '../event.js';
import type { EventIn } from '../event.js';

const block = event({ actorId: pseudonym(id), targetActorId: pseudonym(id) });

export const blockEvents = { 'block.established': block, 'block.ended': block };

export type BlockEvent = EventIn<typeof blockEvents>;
