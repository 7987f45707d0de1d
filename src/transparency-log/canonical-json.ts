/**
 * Returns the canonical form of a JSON value (RFC 8785): no spaces, names in the order of their UTF-16 code units. A
 * field that is undefined is left out.
 * @throws {TypeError} the value has no such form: a number that is not finite, half of a surrogate pair, a function.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('a number that is not finite has no canonical JSON');
      return JSON.stringify(value);
    case 'string':
      if (!value.isWellFormed())
        throw new TypeError('a text with half of a surrogate pair has no canonical JSON');
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? `[${value.map(canonicalJson).join(',')}]` : objectText(value);
    default:
      throw new TypeError(`a ${typeof value} has no canonical JSON`);
  }
}

function objectText(value: object): string {
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${canonicalJson(name)}:${canonicalJson(field)}`).join(',')}}`;
}
