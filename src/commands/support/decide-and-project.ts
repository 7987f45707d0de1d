import { writeThrough } from '../../../projections/authority/authority.projection.js';
import type { EventLog } from '../../log/event-log.js';
import type { StoredEvent } from '../../log/registry.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import type { Ids } from './ambient.js';
import { decideOn } from './handle-command.js';
import type { Deliberation } from './handle-command.js';

export interface Change {
  /** False: it was so before, and nothing was changed. */
  readonly changed: boolean;
}

/**
 * {@link decideOn}, for what gives authority or takes it away: it holds from the next request on, on every process.
 * Throws what that throws, and what the store throws: then it is in the log, and holds when it is repeated, or a worker
 * comes to it.
 */
export async function decideAtOnce<State, Event extends StoredEvent>(
  log: EventLog,
  ids: Ids,
  store: AuthorityStore,
  deliberation: Deliberation<State, Event>,
): Promise<Change> {
  const { past, added } = await decideOn(log, ids, deliberation);
  // The past too: what was cut off after its append ends here.
  await writeThrough([...past, ...added], store.db);
  return { changed: added.length > 0 };
}
