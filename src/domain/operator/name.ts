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
