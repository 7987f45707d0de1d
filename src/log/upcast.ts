import type { EventDeclaration } from '../domain/event.js';

type Json = Record<string, unknown>;

/**
 * Converts stored data to the newest version, one version at a time.
 * @throws {Error} the version is unknown.
 */
export function upcast(
  { version, upcasters }: Pick<EventDeclaration<object>, 'version' | 'upcasters'>,
  from: number,
  data: Json,
): Json {
  if (!Number.isInteger(from) || from < 1 || from > version)
    throw new Error(
      `the event has schema version ${from}, and this release knows 1 to ${version}: run one that knows it`,
    );
  return upcasters.slice(from - 1).reduce((older, upcaster) => upcaster(older), data);
}
