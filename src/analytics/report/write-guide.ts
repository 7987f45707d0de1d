/** Writes the answers on the demo's data into docs/analytics.md, and their plots beside it: `npm run guide`. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeDemo } from '../demo/write-demo.js';
import { guideOf, withSection } from './guide.js';

const DOCUMENT = 'docs/analytics.md';
const PLOTS = 'docs/analytics';

const dir = mkdtempSync(join(tmpdir(), 'plaza-guide-'));
try {
  await writeDemo(join(dir, 'demo'), new AbortController().signal);
  const { section, plots } = await guideOf(join(dir, 'demo'));
  writeFileSync(DOCUMENT, withSection(readFileSync(DOCUMENT, 'utf8'), section));
  mkdirSync(PLOTS, { recursive: true });
  for (const [name, plot] of plots) writeFileSync(join(PLOTS, name), plot);
} finally {
  rmSync(dir, { recursive: true });
}
