import { accountEvents } from '../domain/account/events.js';
import { analyticsEvents } from '../domain/analytics/events.js';
import { applicationEvents } from '../domain/application/events.js';
import { approvalEvents } from '../domain/approval/events.js';
import { auditEvents } from '../domain/audit/events.js';
import { backupEvents } from '../domain/backup/events.js';
import { batchEvents } from '../domain/batch/events.js';
import { blockEvents } from '../domain/block/events.js';
import { caseEvents } from '../domain/case/events.js';
import { downloadEvents } from '../domain/download/events.js';
import type { EventDeclaration, EventIn, Treatment } from '../domain/event.js';
import { allowanceEvents, fourEyesEvents } from '../domain/four-eyes/events.js';
import { grantEvents } from '../domain/grant/events.js';
import { inboxEvents } from '../domain/inbox/events.js';
import { jobEvents } from '../domain/job/events.js';
import { networkEvents } from '../domain/network/events.js';
import { operatorEvents } from '../domain/operator/events.js';
import { postEvents } from '../domain/post/events.js';
import { profileEvents } from '../domain/profile/events.js';
import { registrationEvents } from '../domain/registration/events.js';
import { relationEvents } from '../domain/relation/events.js';
import { reportEvents } from '../domain/report/events.js';

const declared = {
  ...networkEvents,
  ...jobEvents,
  ...accountEvents,
  ...applicationEvents,
  ...grantEvents,
  ...postEvents,
  ...relationEvents,
  ...blockEvents,
  ...profileEvents,
  ...inboxEvents,
  ...reportEvents,
  ...backupEvents,
  ...auditEvents,
  ...registrationEvents,
  ...batchEvents,
  ...approvalEvents,
  ...fourEyesEvents,
  ...allowanceEvents,
  ...operatorEvents,
  ...analyticsEvents,
  ...caseEvents,
  ...downloadEvents,
};

export type StoredEvent = EventIn<typeof declared>;
export type EventType = StoredEvent['type'];
export type EventOf<Type extends EventType> = Extract<StoredEvent, { type: Type }>;

export type RegistryEntry = EventDeclaration<StoredEvent['data']>;

export const eventTypes = Object.keys(declared) as readonly EventType[];

export function personalFieldsOf(type: string): readonly string[] {
  return Object.keys(registryEntryOf(type)?.personal?.placeholders ?? {});
}

/** The person whose key encrypts an event's personal fields; undefined: it has none. */
export const personOf = (event: StoredEvent): string | undefined =>
  registryEntryOf(event.type)?.personal?.person(event.data);

/** Treatment for analysts of each field of an event, but for its time. */
export const treatmentsOf = (type: EventType): Readonly<Record<string, Treatment>> =>
  declared[type].treatments;

export function registryEntryOf(type: string): RegistryEntry | undefined {
  return Object.hasOwn(declared, type)
    ? (declared[type as EventType] as unknown as RegistryEntry)
    : undefined;
}
