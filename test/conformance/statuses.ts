import { readFileSync } from 'node:fs';

const page = new URL('../../docs/api-decisions.md', import.meta.url);

/** The status of each error code in docs/api-decisions.md, "Errors". */
export function decidedStatuses(): Record<string, number> {
  const [, section = ''] = readFileSync(page, 'utf8').split('\n## Errors\n');
  const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| ([0-9]{3}) +\| (.+?) *\|$/gm);
  return Object.fromEntries(
    [...rows].flatMap(([, status, codes = '']) => codes.split(', ').map((code) => [code, Number(status)])),
  );
}
