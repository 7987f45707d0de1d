import { event, id, omitted } from '../event.js';
import type { EventIn } from '../event.js';

const ofJob = event({ jobId: omitted(id) });

/** An operator paused a rebuild, recovery or rollback, or resumed it. Its request is an event of the network. */
export const jobEvents = { 'job.paused': ofJob, 'job.resumed': ofJob };

export type JobEvent = EventIn<typeof jobEvents>;
