import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { benchAccounts } from './accounts.js';
import { benchAnalytics } from './analytics.js';
import { benchAudit } from './audit.js';
import { benchAuth } from './auth.js';
import { compare, flat } from './compare.js';
import { benchConsole } from './console.js';
import { benchDrill } from './drill.js';
import type { Effort } from './effort.js';
import { benchFamous } from './famous.js';
import { benchOverload } from './overload.js';
import { benchRebuildReads } from './rebuild-reads.js';
import { casesOf } from './reads/cases.js';
import { benchReads } from './reads.js';
import { benchRestrictions } from './restrictions.js';
import { benchRecovery } from './recovery.js';
import { benchScale } from './scale.js';
import { benchStart } from './start.js';
import { benchStartProof } from './start-proof.js';
import { benchStores } from './stores.js';
import { benchStreams } from './streams.js';
import { benchTelemetry } from './telemetry.js';
import { benchTimeline } from './timeline.js';
import { benchWrites, kinds } from './writes.js';

/**
 * `npm run bench [-- --quick] [-- --profile ITEM] [-- suite…]`: prints a table of each suite, compares it with its former
 * run, and writes the results to artifacts/bench.json.
 */
const suites = {
  start: () => benchStart(),
  console: () => benchConsole(),
  writes: (effort: Effort) => benchWrites(effort),
  overload: () => benchOverload(),
  reads: (effort: Effort) => benchReads(effort),
  timeline: () => benchTimeline(),
  famous: () => benchFamous(),
  streams: () => benchStreams(),
  recovery: (effort: Effort) => benchRecovery(effort),
  rebuildReads: () => benchRebuildReads(),
  auth: () => benchAuth(),
  accounts: (effort: Effort) => benchAccounts(effort),
  audit: () => benchAudit(),
  restrictions: () => benchRestrictions(),
  drill: () => benchDrill(),
  startProof: () => benchStartProof(),
  telemetry: () => benchTelemetry(),
  analytics: () => benchAnalytics(),
  stores: () => benchStores(),
  scale: (effort: Effort) => benchScale(effort),
} as const;
const QUICK = ['writes', 'reads', 'recovery'];
/** Takes an hour, so it is run by its name alone. */
const BY_NAME = 'scale';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, profile: { type: 'string' } },
});
const { quick, profile } = values;
const unknown = positionals.filter((name) => !Object.hasOwn(suites, name));
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}. There are: ${Object.keys(suites).join(', ')}.`);
  process.exit(2);
}
/** Items that can be profiled. Of two with the same name, the first is meant unless a suite is named. */
const items: Readonly<Record<string, readonly string[]>> = {
  writes: kinds,
  reads: casesOf().map(({ name }) => name),
  accounts: ['account'],
};
const chosen = chosenSuites();
mkdirSync('artifacts', { recursive: true });

const profiles = resolve('artifacts', 'profiles');
const effort: Effort = {
  quick,
  only: profile,
  // Node writes a profile of each process as it ends.
  settings: profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` },
};

const file = join('artifacts', quick ? 'bench-quick.json' : 'bench.json');
const former = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as { results: Record<string, object> }).results
  : {};
const results: Record<string, object> = {};
for (const [name, run] of Object.entries(suites)) {
  if (!chosen.includes(name)) continue;
  console.log(`\n${name}`);
  const result = await run(effort);
  if (!result) {
    console.log('not run: EVENTSTORE_URL names no event store');
    continue;
  }
  results[name] = result;
  // It has hundreds of figures, and has printed tables of its own.
  if (name === BY_NAME) continue;
  console.table(flat(result));
  const compared = compare(flat(former[name] ?? {}), flat(result));
  if (Object.keys(compared).length > 0) console.table(compared);
}

if (profile === undefined) {
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model };
  const written = { at: new Date().toISOString(), machine, results: { ...former, ...results } };
  writeFileSync(file, `${JSON.stringify(written, undefined, 2)}\n`);
  console.log(`\nWritten to ${file}`);
} else console.log(`\nProfiles for DevTools: ${profiles}`);

function chosenSuites(): readonly string[] {
  if (profile !== undefined) {
    const among = positionals.length > 0 ? positionals : Object.keys(items);
    const suite = among.find((name) => items[name]?.includes(profile));
    if (suite !== undefined) return [suite];
    const there = among.flatMap((name) => items[name] ?? []);
    console.error(`There is no item ${profile}. There are: ${there.join(', ')}.`);
    process.exit(2);
  }
  if (positionals.length > 0) return positionals;
  return quick ? QUICK : Object.keys(suites).filter((name) => name !== BY_NAME);
}
