import { projectInline } from '../../../projections/authority/authority.projection.js';
import type { EventLog } from '../../log/event-log.js';
import type { StoredEvent } from '../../log/registry.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import type { IdGenerator } from '../../base/support/id-generator.js';
import { handleCommand } from './handle-command.js';
import type { CommandContext } from './handle-command.js';

export interface ChangeResult {
  readonly changed: boolean;
}

/**
 * {@link handleCommand} for changes of authority: also writes the rows of the authority store, so that the next request
 * to any process honors them.
 * @throws {Refusal}, errors of log and store. After an error of the store, the event is in the log; a retry or a worker
 * projects it.
 */
export async function decideAndProject<State, Event extends StoredEvent>(
  log: EventLog,
  ids: IdGenerator,
  store: AuthorityStore,
  context: CommandContext<State, Event>,
): Promise<ChangeResult> {
  const { past, added } = await handleCommand(log, ids, context);
  // Earlier events too: this completes a command that stopped after its append.
  await projectInline([...past, ...added], store.db);
  return { changed: added.length > 0 };
}
