/**
 * Returns false for text that no identifier can be (docs/api-decisions.md, "Values"). Postgres rejects some of it, like
 * U+0000.
 */
export function isIdentifier(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text);
}
