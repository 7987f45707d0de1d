import type { Disclosed } from '../disclose.js';
import type { NamesInLines } from '../../client/names-in-lines.js';
import { localMoment } from '../../../base/terminal/output.js';

/** Readable lines of disclosed texts: the event, then a line for each field. */
export const disclosedLines = (disclosed: readonly Disclosed[], { named }: NamesInLines): string[] =>
  disclosed.flatMap(({ eventId, type, at, actorId, erased, texts }) => [
    // The claimer of the case alone learns who reported (docs/adr/0029-cases.md).
    `${localMoment(at)}  ${type}  ${type === 'report.created' ? '' : `of ${named('actors', actorId)}  `}(${eventId})`,
    ...(erased ? ['  erased: the key of this person is destroyed'] : []),
    ...Object.entries(texts).map(
      ([field, value]) => `  ${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ),
  ]);
