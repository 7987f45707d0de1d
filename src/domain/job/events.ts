import type { DomainEvent, EventTime } from '../event.js';

type JobData = { readonly jobId: string } & EventTime;

/** An operator paused a rebuild, recovery or rollback, or resumed it. Its request is an event of the network. */
export type JobPaused = DomainEvent<'job.paused', JobData>;
export type JobResumed = DomainEvent<'job.resumed', JobData>;

export type JobEvent = JobPaused | JobResumed;
