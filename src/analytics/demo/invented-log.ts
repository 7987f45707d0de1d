import type { UndecodedEvent } from '../../log/event-log.js';
import type { EventMetadata } from '../../log/recorded.js';
import { personalFieldsOf, registryEntryOf } from '../../log/registry.js';
import type { EventOf, EventType } from '../../log/registry.js';
import { idOf } from './random.js';

type Fields<Type extends EventType> = Partial<EventOf<Type>['data']>;

interface Invented {
  readonly type: EventType;
  readonly at: number;
  readonly data: object;
  /** For a field that depends on the place in the log. */
  readonly dataAt?: ((position: number) => object) | undefined;
  readonly metadata: Partial<EventMetadata>;
}

/** As long as an average event. */
const EVENT_BYTES = 640;

/** Events in any order of time, as a log would have stored them. */
export class InventedLog {
  private readonly events: Invented[] = [];

  /** `data`: without the personal fields. */
  add<Type extends EventType>(
    type: Type,
    at: number,
    data: Fields<Type>,
    metadata: Partial<EventMetadata> = {},
    dataAt?: (position: number) => Fields<Type>,
  ): void {
    this.events.push({ type, at, data, metadata, dataAt });
  }

  stored(): readonly UndecodedEvent[] {
    return this.events
      .toSorted((a, b) => a.at - b.at)
      .map(({ type, at, data, metadata, dataAt }, n) => {
        const position = (n + 1) * EVENT_BYTES;
        const isPersonal = personalFieldsOf(type).length > 0;
        return {
          id: idOf('event', n),
          stream: 'invented',
          revision: 0n,
          position: BigInt(position),
          storedAt: at,
          type,
          data: {
            ...data,
            ...dataAt?.(position),
            at,
            ...(isPersonal && { sealed: { keyId: idOf('key', 0), box: '' } }),
          },
          metadata: {
            requestId: idOf('request', n),
            ...metadata,
            schemaVersion: registryEntryOf(type)?.version ?? 1,
          },
        };
      });
  }
}
