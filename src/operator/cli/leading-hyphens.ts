/** Of the network's identifiers, base64url of 128 bits, one in 64 begins like an option. */
const hyphenated = /^-[A-Za-z0-9_-]{21}$/;

/** Options without a value: what comes behind one of them is not its value. */
const flags = new Set(['--json', '--reseed-witness', '--password-stdin']);

/**
 * The arguments of a command line, with identifiers that look like options behind a `--`, where commander takes them for
 * what they are. Values of options it takes as they come: those stay where they are.
 */
export function withIdentifiersLast(args: readonly string[]): readonly string[] {
  if (args.includes('--')) return args;
  const isIdentifier = (arg: string, index: number): boolean => {
    const before = args[index - 1] ?? '';
    return hyphenated.test(arg) && (!before.startsWith('--') || flags.has(before));
  };
  const ids = args.filter(isIdentifier);
  return ids.length === 0 ? args : [...args.filter((arg, index) => !isIdentifier(arg, index)), '--', ...ids];
}
