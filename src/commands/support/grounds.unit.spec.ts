import { expect, it } from '@jest/globals';
import { MemoryLog } from '../../../test/projections/support/memory-log.js';
import { some } from '../../../test/projections/support/recorded.js';
import type { StoredEvent } from '../../log/registry.js';
import { groundsOf, newestAct } from './grounds.js';

const post = { postId: 'p', authorActorId: 'ana', at: 1 };
const restricted: StoredEvent = { type: 'post.restricted', data: post };
const lifted: StoredEvent = { type: 'post.unrestricted', data: post };
const deleted: StoredEvent = { type: 'post.deleted', data: post };
const account = { actorId: 'ana', at: 1 };
const suspended: StoredEvent = { type: 'account.suspended', data: account };
const dueForErasure: StoredEvent = { type: 'account.erasure_requested', data: { ...account, erasesAt: 2 } };

it.each<[string, readonly StoredEvent[], StoredEvent['type'] | undefined, number]>([
  ['that nobody acted on', [some.post('p')], undefined, 0],
  ['that was restricted', [some.post('p'), restricted], 'post.restricted', 1],
  ['restricted for two reasons', [some.post('p'), restricted, restricted], 'post.restricted', 2],
  ['edited since', [some.post('p'), restricted, some.edit('p')], 'post.restricted', 1],
  ['lifted since', [some.post('p'), restricted, lifted], 'post.unrestricted', 0],
  ['restricted again', [some.post('p'), restricted, lifted, restricted], 'post.restricted', 1],
  ['deleted since', [some.post('p'), restricted, deleted], 'post.deleted', 1],
  ['due for erasure', [some.account('ana'), suspended, dueForErasure], 'account.erasure_requested', 1],
])('the newest act on a subject %s, and its grounds', async (_what, events, act, grounds) => {
  const log = new MemoryLog();
  const past = log.add(...events);
  expect((await newestAct(log, past))?.event.type).toBe(act);
  expect(groundsOf(past)).toHaveLength(grounds);
});
