import { subjectIn } from '../../domain/case/subject.js';
import { shortenedTo } from '../../base/terminal/table.js';
import { nameParts } from '../desk/names.js';
import type { NamedIds, Names } from '../desk/names.js';

type Noun = keyof NamedIds;

/** Lines for people are functions of it. Without a name, both are the id alone. */
export interface NamesInLines {
  /** `Ada Lovelace @ada (id)`: of a long name its beginning, and the whole id to copy. */
  readonly named: (noun: Noun, id: string) => string;
  /** `Ada Lovelace @ada`, for the last column of a line that has the id already. */
  readonly nameOf: (noun: Noun, id: string) => string;
}

export const idsAlone: NamesInLines = { named: (_noun, id) => id, nameOf: (_noun, id) => id };

/** A case by the name of its subject, and its id to copy. */
export function caseName(caseId: string, { nameOf }: NamesInLines): string {
  const { kind, id } = subjectIn(caseId);
  const name = nameOf(kind === 'post' ? 'posts' : 'actors', id);
  return name === id ? caseId : `${name} (${caseId})`;
}

const MOST_COLUMNS = 32;

export function namesInLines(names: Names): NamesInLines {
  const nameIn = (columns: number, noun: Noun, id: string) => {
    const [first, ...rest] = nameParts[noun](names, id);
    return first === undefined ? undefined : [shortenedTo(columns, first), ...rest].join(' ');
  };
  return {
    named: (noun, id) => {
      const name = nameIn(MOST_COLUMNS, noun, id);
      return name === undefined ? id : `${name} (${id})`;
    },
    nameOf: (noun, id) => nameIn(Infinity, noun, id) ?? id,
  };
}
