import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startNetwork, withDataDir } from '../network.js';
import { percentiles } from '../percentiles.js';
import { withStores } from '../stores-of-network.js';
import { peopleOn } from './people.js';
import { plotOf } from './plot.js';
import { run } from './run.js';
import type { Sample } from './sample.js';
import { judge } from './verdict.js';

/** `npm run soak -- --minutes N`: a network under a steady load for long; see bench/README.md. */

const [LINES, PLOT] = ['artifacts/soak.jsonl', 'artifacts/soak.svg'];

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const minutes = Number(values.minutes);
if (!(Number.isInteger(minutes) && minutes > 0)) {
  console.error('--minutes must be a whole number from 1.');
  process.exit(2);
}
const stopped = new AbortController();
process.once('SIGTERM', () => stopped.abort());
mkdirSync('artifacts', { recursive: true });
rmSync(LINES, { force: true });

const samples: Sample[] = [];
await withDataDir(async (dataDir) => {
  // All people have one address, which has limits of its own.
  const network = await startNetwork(dataDir, undefined, { RATE_LIMITS: 'off' });
  try {
    await withStores(network, async (log, pool) => {
      const people = await peopleOn(network, log, pool);
      await run(network, people, { minutes, pool, stopped: stopped.signal, onSample: write });
    });
  } finally {
    await network.stop();
  }
});
const rulings = judge(samples);
console.table(rulings);
console.log(`Written to ${LINES} and ${PLOT}`);
if (rulings.some(({ is }) => is === 'broken')) process.exitCode = 1;

function write(sample: Sample): void {
  samples.push(sample);
  const latency = Object.entries(sample.latencyMs).map(([kind, ms]) => [
    kind,
    { count: ms.length, ...percentiles(ms) },
  ]);
  appendFileSync(LINES, `${JSON.stringify({ ...sample, latencyMs: Object.fromEntries(latency) })}\n`);
  writeFileSync(PLOT, plotOf(samples));
  const { minute, megabytes, latencyMs, errors, shed } = sample;
  const memory = Object.entries(megabytes).map(([name, each]) => `${name} ${each}`);
  const { p50Ms, p99Ms } = percentiles(Object.values(latencyMs).flat());
  console.log(`minute ${minute}: ${memory.join(', ')} MB; p50 ${p50Ms}, p99 ${p99Ms} ms; ${shed} shed`);
  for (const [error, count] of Object.entries(errors)) console.log(`  ${count} × ${error}`);
}
