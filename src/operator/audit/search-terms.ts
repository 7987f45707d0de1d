export interface Term {
  readonly isExcluded: boolean;
  readonly name: string;
  readonly value: string;
}

export class SearchError extends Error {
  override readonly name = 'SearchError';
}

const word = /(?:"(?:[^"\\]|\\.)*"?|[^\s"])+/g;
const term = /^(-?)([A-Za-z]+):(.*)$/s;

/** Splits `actor:ID -type:post.created operator:"Ana L"` into its terms. @throws {SearchError} */
export function termsOf(text: string): readonly Term[] {
  return (text.match(word) ?? []).map((typed) => {
    const [, minus, name = '', value = ''] = term.exec(typed) ?? [];
    if (minus === undefined)
      throw new SearchError(
        `“${typed}” names no filter: write for example actor:ID, and quotes around a value with spaces: operator:"Ana L".`,
      );
    return { isExcluded: minus === '-', name: name.toLowerCase(), value: unquoted(typed, value) };
  });
}

function unquoted(typed: string, value: string): string {
  if (!value.includes('"')) return value;
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/s.exec(value) ?? [];
  if (quoted === undefined)
    throw new SearchError(`The quotes of ${typed} must surround its whole value: operator:"Ana L".`);
  return quoted.replaceAll(/\\(.)/gs, '$1');
}

export function termText(name: string, value: string): string {
  return /^[^\s"]+$/.test(value) ? `${name}:${value}` : `${name}:"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
