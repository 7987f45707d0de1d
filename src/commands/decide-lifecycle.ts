import { writeThrough } from '../../projections/authority/authority.projection.js';
import type { Living } from '../domain/lifecycle.js';
import type { EventLog } from '../log/event-log.js';
import type { StoredEvent } from '../log/registry.js';
import type { AuthorityStore } from '../store/authority/authority-store.js';
import type { Ids } from './ambient.js';
import type { Change } from './decide-at-once.js';
import { decideOn } from './decide-on.js';
import type { Deliberation } from './decide-on.js';

/** What an operator did to an account, an application or a post. */
export interface LifecycleChange extends Change {
  /** The lifecycle revision that it is at now. */
  readonly revision: number;
}

/** As {@link decideAtOnce}, and says which turn of its life that was. */
export async function decideLifecycle<State extends Living, Event extends StoredEvent>(
  log: EventLog,
  ids: Ids,
  store: AuthorityStore,
  deliberation: Omit<Deliberation<State, Event>, 'read' | 'known'>,
): Promise<LifecycleChange> {
  const { past, added } = await decideOn<State, Event>(log, ids, deliberation);
  const whole = [...past, ...added];
  await writeThrough(whole, store.db);
  const { initial, evolve } = deliberation;
  const { lifecycle } = whole.reduce((older, { event }) => evolve(older, event), initial);
  return { changed: added.length > 0, revision: lifecycle };
}
