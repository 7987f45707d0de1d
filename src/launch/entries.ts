/** Built processes, in the folder that bin/bundle.mjs puts them and this file into. */
export const ENTRIES = {
  api: new URL('api.js', import.meta.url),
  projector: new URL('projector.js', import.meta.url),
  commandLine: new URL('plaza.js', import.meta.url),
};
