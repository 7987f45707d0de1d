type Method<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Result>;

/**
 * Passes every call of this method through `around`, for the places where a process is composed. The class and its
 * callers stay as they are.
 */
export function observeCalls<Name extends string, Args extends readonly unknown[], Result>(
  target: { [Each in Name]: Method<Args, Result> },
  method: Name,
  around: (args: Args, run: () => Promise<Result>) => Promise<Result>,
): void {
  const call: Method<Args, Result> = target[method];
  target[method] = (...args) => around(args, () => call.apply(target, [...args] as never));
}
