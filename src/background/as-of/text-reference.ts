import { personalFieldsOf } from '../../log/registry.js';
import type { Recorded } from '../../log/recorded.js';

/** Names the event that has a text. It stands in the read models of an as-of build in the place of the text. */
export interface TextReference {
  readonly eventId: string;
  readonly stream: string;
  /** Decimal digits. */
  readonly revision: string;
}

/** The event with a reference to itself in place of each personal text. Ids stay, and so do the placeholders of an erasure. */
export function withReferences(recorded: Recorded): Recorded {
  const { event, erased, id: eventId, stream, revision } = recorded;
  const personal = erased ? [] : personalFieldsOf(event.type);
  if (personal.length === 0) return recorded;
  const reference = JSON.stringify({ eventId, stream, revision: String(revision) } satisfies TextReference);
  const data = Object.fromEntries(
    Object.entries(event.data).map(([name, value]: [string, unknown]) => [
      name,
      personal.includes(name) && typeof value === 'string' ? reference : value,
    ]),
  );
  return { ...recorded, event: { ...event, data } as unknown as Recorded['event'] };
}

/** Undefined: no event has this text, because it is empty by rule or erased. */
export function referenceIn(text: string | null): TextReference | undefined {
  return text === null || text === '' ? undefined : (JSON.parse(text) as TextReference);
}
