import { projectInline } from '../../../projections/authority/authority.projection.js';
import type { LifecycleState } from '../../domain/lifecycle.js';
import type { EventLog } from '../../log/event-log.js';
import type { StoredEvent } from '../../log/registry.js';
import type { AuthorityStore } from '../../base/store/authority/authority-store.js';
import type { IdGenerator } from '../../base/support/id-generator.js';
import type { ChangeResult } from './write-side.js';
import { handleCommand } from './handle-command.js';
import type { Decided, CommandContext } from './handle-command.js';

export interface LifecycleChange extends ChangeResult {
  readonly revision: number;
}

/** `read` returns the whole stream. */
type LifecycleContext<State, Event extends StoredEvent> = Omit<CommandContext<State, Event>, 'known'>;

/** As {@link decideAndProject}; returns the lifecycle revision too. */
export async function decideLifecycle<State extends LifecycleState, Event extends StoredEvent>(
  log: EventLog,
  ids: IdGenerator,
  store: AuthorityStore,
  context: LifecycleContext<State, Event>,
): Promise<LifecycleChange> {
  const decided = await handleCommand<State, Event>(log, ids, context);
  await projectInline([...decided.past, ...decided.added], store.db);
  return lifecycleChange(decided, context);
}

export function lifecycleChange<State extends LifecycleState, Event extends StoredEvent>(
  { past, added }: Decided<Event>,
  { initial, evolve }: Pick<LifecycleContext<State, Event>, 'initial' | 'evolve'>,
): LifecycleChange {
  const whole = [...past, ...added];
  const { lifecycle } = whole.reduce((older, { event }) => evolve(older, event), initial);
  return { changed: added.length > 0, revision: lifecycle };
}
