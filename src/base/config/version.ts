import { existsSync, readFileSync } from 'node:fs';

export function plazaVersion(): string {
  let file = new URL('package.json', import.meta.url);
  while (!existsSync(file)) {
    const above = new URL('../package.json', file);
    if (above.href === file.href)
      throw new Error('the version is unknown: no folder above the code has a package.json');
    file = above;
  }
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
