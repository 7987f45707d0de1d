import { existsSync, readFileSync } from 'node:fs';

/** The folder of the package: `src`, the build and the bundle lie at different depths below it. */
export function packageRoot(): URL {
  let file = new URL('package.json', import.meta.url);
  while (!existsSync(file)) {
    const above = new URL('../package.json', file);
    if (above.href === file.href) throw new Error('no folder above the code has a package.json');
    file = above;
  }
  return new URL('.', file);
}

export const plazaVersion = (): string =>
  (JSON.parse(readFileSync(new URL('package.json', packageRoot()), 'utf8')) as { version: string }).version;
