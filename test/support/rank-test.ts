/**
 * The probability (two-sided) that two samples of one distribution differ in rank as these do: the test of Mann and Whitney,
 * with the normal approximation, which serves from 20 values each.
 */
export function rankTest(one: readonly number[], two: readonly number[]): number {
  const all = [...one.map((value) => ({ value, own: true })), ...two.map((value) => ({ value, own: false }))];
  all.sort((a, b) => a.value - b.value);
  let [ranks, ties] = [0, 0];
  for (let first = 0; first < all.length;) {
    let next = first;
    while (next < all.length && all[next]?.value === all[first]?.value) next++;
    const count = next - first;
    ties += count ** 3 - count;
    const rank = (first + 1 + next) / 2;
    ranks += rank * all.slice(first, next).filter(({ own }) => own).length;
    first = next;
  }
  const [n, m, total] = [one.length, two.length, all.length];
  const u = ranks - (n * (n + 1)) / 2;
  const deviation = Math.sqrt(((n * m) / 12) * (total + 1 - ties / (total * (total - 1))));
  if (deviation === 0) return 1;
  return 2 * (1 - normal(Math.abs(u - (n * m) / 2) / deviation));
}

/** The normal distribution (Abramowitz and Stegun, 26.2.17), to seven digits. */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const terms = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
  const sum = terms.reduce((total, term, index) => total + term * t ** (index + 1), 0);
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}
