import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { benchAnalytics } from './analytics.js';
import { benchAudit } from './audit.js';
import { benchAuth } from './auth.js';
import { benchConsole } from './console.js';
import { benchDrill } from './drill.js';
import { benchRebuildReads } from './rebuild-reads.js';
import { benchReads } from './reads.js';
import { benchRestrictions } from './restrictions.js';
import { benchRecovery } from './recovery.js';
import { benchStart } from './start.js';
import { benchStartProof } from './start-proof.js';
import { benchStores } from './stores.js';
import { benchStreams } from './streams.js';
import { benchTelemetry } from './telemetry.js';
import { benchTimeline } from './timeline.js';
import { benchWrites } from './writes.js';

/** `npm run bench [-- suite…]`: writes the results to artifacts/bench.json and prints a table. */
const suites = {
  start: () => benchStart(),
  console: () => benchConsole(),
  writes: () => benchWrites(),
  reads: () => benchReads(),
  timeline: () => benchTimeline(),
  streams: () => benchStreams(),
  recovery: () => benchRecovery(),
  rebuildReads: () => benchRebuildReads(),
  auth: () => benchAuth(),
  audit: () => benchAudit(),
  restrictions: () => benchRestrictions(),
  drill: () => benchDrill(),
  startProof: () => benchStartProof(),
  telemetry: () => benchTelemetry(),
  analytics: () => benchAnalytics(),
  stores: () => benchStores(),
} as const;

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !Object.hasOwn(suites, name));
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}. There are: ${Object.keys(suites).join(', ')}.`);
  process.exit(2);
}

const results: Record<string, object> = {};
for (const [name, run] of Object.entries(suites)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  console.log(`\n${name}`);
  const result = await run();
  if (!result) {
    console.log('not run: EVENTSTORE_URL names no event store');
    continue;
  }
  results[name] = result;
  console.table(flat(result));
}

const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model };
mkdirSync('artifacts', { recursive: true });
const file = join('artifacts', 'bench.json');
writeFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), machine, results }, undefined, 2)}\n`);
console.log(`\nWritten to ${file}`);

function flat(value: unknown, path = ''): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return { [path]: value };
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, inner]) => flat(inner, path ? `${path}.${key}` : key)),
  );
}
