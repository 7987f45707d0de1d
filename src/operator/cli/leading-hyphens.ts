/**
 * An identifier that begins with a hyphen, as one in 64 does: identifiers are base64url of 128 bits. Or a term of a
 * search: `-type:post.created`.
 */
const hyphenated = /^-(?:[A-Za-z0-9_-]{21}$|type:)/;

/** Options without a value: an identifier that follows one of them is an argument, not its value. */
const flags = new Set([
  '--json',
  '--csv',
  '--follow',
  '--wait',
  '--no-texts',
  '--reseed-witness',
  '--password-stdin',
]);

/**
 * Moves identifiers that look like options behind `--`, where commander takes them as arguments. Values of options stay
 * in place.
 */
export function withIdentifiersLast(args: readonly string[]): readonly string[] {
  if (args.includes('--')) return args;
  const isIdentifier = (arg: string, index: number): boolean => {
    const before = args[index - 1] ?? '';
    return hyphenated.test(arg) && (!before.startsWith('--') || before.includes('=') || flags.has(before));
  };
  const ids = args.filter(isIdentifier);
  return ids.length === 0 ? args : [...args.filter((arg, index) => !isIdentifier(arg, index)), '--', ...ids];
}
