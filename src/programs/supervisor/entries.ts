/** Files of the built processes: bin/bundle.mjs puts them into the same folder as this file. */
export const ENTRIES = {
  api: new URL('api.js', import.meta.url),
  projector: new URL('projector.js', import.meta.url),
  commandLine: new URL('plaza.js', import.meta.url),
};
