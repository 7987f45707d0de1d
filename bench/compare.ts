export type Flat = Readonly<Record<string, unknown>>;

/** A tree of figures as one level: the path to each, its names joined by dots. */
export function flat(value: unknown, path = ''): Flat {
  if (typeof value !== 'object' || value === null) return { [path]: value };
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, inner]) => flat(inner, path ? `${path}.${key}` : key)),
  ) as Flat;
}

/** CPU (`cpuMs`, ms) and shares of a floor (`ratio`) that both runs have, and the later one as a share of the earlier. */
export function compare(
  before: Flat,
  now: Flat,
): Record<string, { before: number; now: number; times: number }> {
  const compared = Object.entries(now).flatMap(([path, value]) => {
    const former = before[path];
    if (
      !/(?:^|\.)(?:cpuMs|\w*[rR]atio)$/.test(path) ||
      typeof value !== 'number' ||
      typeof former !== 'number' ||
      former === 0
    )
      return [];
    return [[path, { before: former, now: value, times: Math.round((value / former) * 100) / 100 }] as const];
  });
  return Object.fromEntries(compared);
}
