import { InvalidArgumentError } from 'commander';

/** Names out of a set, parted by commas: `log,vault`. Each once, in the order of the set. @throws {InvalidArgumentError} */
export function partsOf<Part extends string>(all: readonly Part[]): (value: string) => readonly Part[] {
  return (value) => {
    const named = value.split(',').map((name) => name.trim());
    if (named.some((name) => !(all as readonly string[]).includes(name)))
      throw new InvalidArgumentError(`It must be one or more of ${all.join(', ')}, parted by commas.`);
    return all.filter((part) => named.includes(part));
  };
}
