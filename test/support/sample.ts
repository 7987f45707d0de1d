/** The part of the exhaustive cases that `npm test` runs; `npm run test:all` runs all of them. */
const seed = process.env['PLAZA_TEST_SAMPLE'];

/** Whether this run takes a sample of the cases. */
export const isSampled = seed !== undefined;

/** For a case that goes through many: all of them, or in a sampled run `count` of them, drawn by the run's seed. */
export function sampleOf<T>(all: readonly T[], count: number): readonly T[] {
  if (seed === undefined || all.length <= count) return all;
  const drawn = all.map((_, index) => index).sort((a, b) => rank(`${seed} ${a}`) - rank(`${seed} ${b}`));
  const chosen = new Set(drawn.slice(0, count));
  return all.filter((_, index) => chosen.has(index));
}

/** A number that is spread evenly and the same in every process (FNV-1a, 32 bits). */
function rank(text: string): number {
  let hash = 0x811c9dc5;
  for (const unit of text) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
