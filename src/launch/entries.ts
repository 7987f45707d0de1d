export const ENTRIES = {
  api: new URL('../main.js', import.meta.url),
  projector: new URL('../../projections/main.js', import.meta.url),
  commandLine: new URL('../operator/cli/main.js', import.meta.url),
};
