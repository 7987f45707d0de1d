/**
 * The form in which two names of operators are one: compatibility characters, case, invisible characters and white space
 * do not tell them apart. JavaScript has no case folding (Unicode Standard, section 3.13); upper case first maps what has
 * several lower cases.
 */
export function operatorNameKey(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

/** True if a name would be taken for the other operator's, or for their id. */
export const isConfusable = (
  name: string,
  other: { readonly operatorId: string; readonly name: string },
): boolean => [other.name, other.operatorId].some((each) => operatorNameKey(each) === operatorNameKey(name));

/** Lists of who acted show these for identities that are no operator's. */
const ownNames: ReadonlySet<string> = new Set(['shared token', 'shared-token', 'offline restore', 'offline']);

export const isOwnName = (name: string): boolean => ownNames.has(operatorNameKey(name));
