import { InvalidArgumentError } from 'commander';

/**
 * Parses names separated by commas, such as `log,vault`; returns each once, in the order of `all`.
 * @throws {InvalidArgumentError}
 */
export function partsParser<Part extends string>(all: readonly Part[]): (value: string) => readonly Part[] {
  return (value) => {
    const named = value.split(',').map((name) => name.trim());
    if (named.some((name) => !(all as readonly string[]).includes(name)))
      throw new InvalidArgumentError(`It must be one or more of ${all.join(', ')}, separated by commas.`);
    return all.filter((part) => named.includes(part));
  };
}
