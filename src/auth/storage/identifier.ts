/** decisions.md, "Values": what has another shape names nothing, and some of it (U+0000) Postgres does not even take. */
export function isIdentifier(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text);
}
