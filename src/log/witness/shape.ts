import { upcast } from '../upcast.js';
import { registryEntryOf } from '../registry.js';
import type { RestrictionEvent } from '../restrictions.js';
import { restrictionHash } from './canonical.js';
import type { Restriction, WitnessedRestriction } from './witness.js';

export interface VersionedRestriction extends Restriction {
  readonly version: number;
}

export const withVersion = (restriction: Restriction): VersionedRestriction => ({
  ...restriction,
  version: requireEntry(restriction.event.type).version,
});

/**
 * Upcasts a stored restriction to the newest shape of its event, for comparison with the log and for appends. Throws
 * for an unknown version.
 */
export function toNewestShape(
  witnessed: WitnessedRestriction,
  entry: Parameters<typeof upcast>[0] = requireEntry(witnessed.restriction.event.type),
): WitnessedRestriction {
  // The first ledgers have no version, and only first shapes.
  const { version = 1, ...restriction } = witnessed.restriction as Restriction &
    Partial<VersionedRestriction>;
  if (version === entry.version) return { ...witnessed, restriction };
  const { type, data } = restriction.event;
  const event = { type, data: upcast(entry, version, { ...data }) } as unknown as RestrictionEvent;
  const upcasted = { ...restriction, event };
  return { ...witnessed, hash: restrictionHash(upcasted), restriction: upcasted };
}

function requireEntry(type: string) {
  const entry = registryEntryOf(type);
  if (!entry)
    throw new Error(
      `this release does not know the restriction type ${type} of the witness: run the release that recorded it`,
    );
  return entry;
}
