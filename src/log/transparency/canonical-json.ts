/**
 * Returns the canonical form of a JSON value (RFC 8785): no spaces, names in the order of their UTF-16 code units. A
 * field that is undefined is left out.
 * @throws {TypeError} the value has no such form: a number that is not finite, half of a surrogate pair, a function.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) return objectText(value);
  if (!isScalar(value)) throw new TypeError(`${typeof value}: this value has no canonical JSON`);
  return JSON.stringify(value);
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  return typeof value === 'number' ? Number.isFinite(value) : value === null || typeof value === 'boolean';
}

function objectText(value: object): string {
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${canonicalJson(name)}:${canonicalJson(field)}`).join(',')}}`;
}
