export function permutations<Thing>(things: readonly Thing[]): Thing[][] {
  if (things.length === 0) return [[]];
  return things.flatMap((first, at) =>
    permutations(things.filter((_, index) => index !== at)).map((rest) => [first].concat(rest)),
  );
}
