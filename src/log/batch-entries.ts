import { z } from 'zod';
import { batchKinds } from '../domain/batch/events.js';
import type { BatchEvent } from '../domain/batch/events.js';
import { at, id } from './registry-entry.js';
import type { RegistryEntries } from './registry-entry.js';

const batchFields = z.strictObject({ batchId: id, at });
const outcome = batchFields.extend({ changed: z.int().nonnegative(), skipped: z.array(id) });

export const batchEntries: RegistryEntries<BatchEvent> = {
  'batch.requested': {
    version: 1,
    upcasters: [],
    schema: batchFields.extend({ kind: z.enum(batchKinds), items: z.array(id), appId: id.optional() }),
  },
  'batch.applied': { version: 1, upcasters: [], schema: outcome },
  'batch.undo_requested': { version: 1, upcasters: [], schema: batchFields },
  'batch.undone': { version: 1, upcasters: [], schema: outcome },
};
