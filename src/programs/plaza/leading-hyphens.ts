/**
 * An identifier that begins with a hyphen, as one in 64 does: identifiers are base64url of 128 bits. Or a term of a
 * search: `-type:post.created`. Or SQL that begins with a comment.
 */
const hyphenated = /^-(?:[A-Za-z0-9_-]{21}$|type:|-\s)/;

/** Options without a value: an identifier that follows one of them is an argument, not its value. */
const flags = new Set([
  '--json',
  '--csv',
  '--follow',
  '--wait',
  '--no-texts',
  '--dry-run',
  '--end-grants',
  '--newest',
  '--urgent',
  '--quiet',
  '--tls',
  '--reseed-witness',
  '--password-stdin',
  '--decrypt',
  '--rebuild',
  '--rewind',
  '--operators',
  '--no-operators',
  '--forget',
  '--serve',
  '--remove',
]);

/**
 * Moves identifiers that look like options behind `--`, where commander takes them as arguments. The arguments after them move too, to
 * keep their order. An identifier that is the value of an option is joined to it: commander would take `-V…` for the option `-V`.
 */
export function withIdentifiersLast(args: readonly string[]): readonly string[] {
  if (args.includes('--')) return args;
  const [others, ids]: [string[], string[]] = [[], []];
  for (const [index, arg] of args.entries()) {
    const before = args[index - 1] ?? '';
    const isArgument = !before.startsWith('--') || before.includes('=') || flags.has(before);
    const isHyphenated = hyphenated.test(arg);
    if (isHyphenated && !isArgument) others.splice(-1, 1, `${before}=${arg}`);
    else if (isHyphenated || (isArgument && ids.length > 0 && !arg.startsWith('-'))) ids.push(arg);
    else others.push(arg);
  }
  return ids.length === 0 ? others : [...others, '--', ...ids];
}
