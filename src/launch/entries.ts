/** The compiled entries of the processes, beside this file in the build. */
export const ENTRIES = {
  api: new URL('../main.js', import.meta.url),
  projector: new URL('../../projections/main.js', import.meta.url),
  /** The operator's command line; `eventstore` is one of its commands. */
  commandLine: new URL('../operator/cli/main.js', import.meta.url),
};
