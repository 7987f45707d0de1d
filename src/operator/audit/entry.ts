import type { AuditedEvent } from '../../../projections/audit/audit.read-model.js';
import type { AuditedText } from './texts.js';

export type AuditEntry = Omit<AuditedEvent, 'position' | 'revision'> & {
  readonly position: number;
  readonly revision: number;
  readonly text?: string;
  readonly erased?: true;
  readonly undisclosed?: true;
};

export const entryOf = (
  { position, revision, ...event }: AuditedEvent,
  texts: ReadonlyMap<string, AuditedText>,
): AuditEntry => ({
  position: Number(position),
  revision: Number(revision),
  ...event,
  ...texts.get(event.eventId),
});
