import type { Disclosed } from '../disclose.js';
import { localMoment } from '../../../base/terminal/output.js';

/** Readable lines of disclosed texts: the event, then a line for each field. */
export const disclosedLines = (disclosed: readonly Disclosed[]): string[] =>
  disclosed.flatMap(({ eventId, type, at, actorId, erased, texts }) => [
    `${localMoment(at)}  ${type}  of ${actorId}  (${eventId})`,
    ...(erased ? ['  erased: the key of this person is destroyed'] : []),
    ...Object.entries(texts).map(
      ([field, value]) => `  ${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ),
  ]);
