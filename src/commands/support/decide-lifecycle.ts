import { projectInline } from '../../../projections/authority/authority.projection.js';
import type { LifecycleState } from '../../domain/lifecycle.js';
import type { EventLog } from '../../log/event-log.js';
import type { StoredEvent } from '../../log/registry.js';
import type { AuthorityStore } from '../../store/authority/authority-store.js';
import type { IdGenerator } from './ambient.js';
import type { Change } from './decide-and-project.js';
import { handleCommand } from './handle-command.js';
import type { Decided, CommandContext } from './handle-command.js';

/** What an operator did to an account, an application or a post. */
export interface LifecycleChange extends Change {
  /** The lifecycle revision that it is at now. */
  readonly revision: number;
}

type Turning<State, Event extends StoredEvent> = Omit<CommandContext<State, Event>, 'read' | 'known'>;

/** As {@link decideAndProject}, and says which turn of its life that was. */
export async function decideLifecycle<State extends LifecycleState, Event extends StoredEvent>(
  log: EventLog,
  ids: IdGenerator,
  store: AuthorityStore,
  turning: Turning<State, Event>,
): Promise<LifecycleChange> {
  const decided = await handleCommand<State, Event>(log, ids, turning);
  await projectInline([...decided.past, ...decided.added], store.db);
  return lifecycleChange(decided, turning);
}

/** What was decided on the whole of a stream, told as a turn of its life. */
export function lifecycleChange<State extends LifecycleState, Event extends StoredEvent>(
  { past, added }: Decided<Event>,
  { initial, evolve }: Pick<Turning<State, Event>, 'initial' | 'evolve'>,
): LifecycleChange {
  const whole = [...past, ...added];
  const { lifecycle } = whole.reduce((older, { event }) => evolve(older, event), initial);
  return { changed: added.length > 0, revision: lifecycle };
}
