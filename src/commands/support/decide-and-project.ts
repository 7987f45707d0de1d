import { projectInline } from '../../../projections/authority/authority.projection.js';
import type { EventLog } from '../../log/event-log.js';
import type { StoredEvent } from '../../log/registry.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import type { IdGenerator } from './ambient.js';
import { handleCommand } from './handle-command.js';
import type { CommandContext } from './handle-command.js';

export interface Change {
  /** False: it was so before, and nothing was changed. */
  readonly changed: boolean;
}

/**
 * {@link handleCommand}, for what gives authority or takes it away: it holds from the next request on, on every process.
 * Throws what that throws, and what the store throws: then it is in the log, and holds when it is repeated, or a worker
 * comes to it.
 */
export async function decideAndProject<State, Event extends StoredEvent>(
  log: EventLog,
  ids: IdGenerator,
  store: AuthorityStore,
  deliberation: CommandContext<State, Event>,
): Promise<Change> {
  const { past, added } = await handleCommand(log, ids, deliberation);
  // The past too: what was cut off after its append ends here.
  await projectInline([...past, ...added], store.db);
  return { changed: added.length > 0 };
}
