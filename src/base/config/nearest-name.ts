const mostEdits = ({ length }: string): number => Math.min(3, Math.ceil(length / 3));

export function mostSimilarName(given: string, names: readonly string[]): string | undefined {
  const distances = names.map((name) => ({
    name,
    edits: editsBetween(given.toLowerCase(), name.toLowerCase()),
  }));
  const [nearest] = distances.toSorted((a, b) => a.edits - b.edits);
  return nearest && nearest.edits <= mostEdits(given) ? nearest.name : undefined;
}

function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of Array.from(one).entries()) {
    const next = [index + 1];
    for (let at = 1; at <= other.length; at++) {
      const replaced = (row[at - 1] ?? 0) + (character === other[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
