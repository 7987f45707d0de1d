import { z } from 'zod';

type Json = Record<string, unknown>;

interface AnyEvent {
  readonly type: string;
  readonly data: object;
}

export interface RegistryEntry<Event extends AnyEvent> {
  /**
   * Newest version of the event's data. `upcasters[version - 1]` converts data of a version to the next one, when it
   * is read. Stored events are never rewritten.
   */
  readonly version: number;
  readonly upcasters: readonly ((older: Json) => Json)[];
  readonly schema: z.ZodType<Event['data']>;
  readonly personal?: {
    readonly person: (data: Event['data']) => string;
    readonly placeholders: { readonly [Field in keyof Event['data']]?: Event['data'][Field] };
  };
}

export type RegistryEntries<Event extends AnyEvent> = {
  readonly [Type in Event['type']]: RegistryEntry<Extract<Event, { type: Type }>>;
};

export const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
/** Unix milliseconds. */
export const at = z.int().nonnegative();

/**
 * Converts stored data to the newest version, one version at a time.
 * @throws {Error} the version is unknown.
 */
export function upcast(
  { version, upcasters }: Pick<RegistryEntry<AnyEvent>, 'version' | 'upcasters'>,
  from: number,
  data: Json,
): Json {
  if (!Number.isInteger(from) || from < 1 || from > version)
    throw new Error(
      `the event has schema version ${from}, and this release knows 1 to ${version}: run one that knows it`,
    );
  return upcasters.slice(from - 1).reduce((older, upcaster) => upcaster(older), data);
}
