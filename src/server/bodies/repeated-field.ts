/** A string of JSON (RFC 8259, section 7). Unrolled, so that a long one needs no backtracking. */
const jsonString = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/**
 * True if an object in a JSON text names a field twice, in any spelling. JSON.parse keeps the last of them, another
 * reader may keep the first (RFC 8259, section 4).
 * `text`: valid JSON. `json`: its parsed value.
 */
export function hasRepeatedField(text: string, json: unknown): boolean {
  const fields = countFields(json);
  // Colons inside strings only add to the number, so most texts need no second count.
  return countColons(text) !== fields && countColons(text.replaceAll(jsonString, '')) !== fields;
}

/** Every field has one colon outside of strings. */
function countColons(text: string): number {
  let colons = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) colons++;
  return colons;
}

/** Counts without recursion: JSON.parse accepts a nesting that is deeper than the stack. */
function countFields(json: unknown): number {
  let fields = 0;
  const open = [json];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const values: unknown[] = Object.values(value);
    if (!Array.isArray(value)) fields += values.length;
    for (const each of values) open.push(each);
  }
  return fields;
}
