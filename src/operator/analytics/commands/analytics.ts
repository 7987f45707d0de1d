import { existsSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { Personal } from '../../../analytics/columns/columns.js';
import type { Compression } from '../../../analytics/data-set/parquet.js';
import { readConfig } from '../../../base/config/config.js';
import { onStopSignal } from '../../../launch/child.js';
import { Failure } from '../../../base/terminal/failure.js';
import { explained } from './analytics-explained.js';
import { addQuery } from './analytics-query.js';
import { addResolve } from './analytics-resolve.js';
import { addShell } from './analytics-shell.js';
import type { analyticsActs } from '../analytics.acts.js';
import { actsOf, withReason } from '../../client/command-options.js';
import type { CommandOptions } from '../../client/command-options.js';
import { parseDuration } from '../../../base/terminal/duration.js';
import { terminal } from '../../../base/terminal/terminal.js';
import { withMemory } from './memory.js';
import type { MemoryOptions } from './memory.js';
import { answerList, printResult, timeText, withJsonOption } from '../../../base/terminal/output.js';
import type { OutputOptions } from '../../../base/terminal/output.js';
import { formatBytes, ProgressLine } from '../../../base/terminal/progress-line.js';
import { beginOf, TIME_HELP } from '../../audit/time.js';
import { plainText } from '../../../base/support/plain-text.js';
import { tableLines } from '../../../base/terminal/table.js';

interface ExportOptions extends CommandOptions {
  readonly since?: number;
  readonly follow?: true;
  readonly personal?: Personal;
  readonly operators?: boolean;
  readonly root?: string;
  readonly compression?: Compression;
  readonly rewind?: true;
  readonly rebuild?: true;
  readonly metrics?: string;
}

interface PruneOptions extends OutputOptions {
  readonly before: number;
  readonly forget?: true;
}

export function addAnalyticsCommands(program: Command): void {
  const analytics = program
    .command('analytics')
    .description('export the log as Parquet files without personal texts, and query them');
  analytics.hook('preAction', async (_, { args: [dir] }) => {
    if (dir === undefined) return;
    const { newestCommit } = await import('../../../analytics/data-set/commits.js');
    const { state, leftOut } = newestCommit(resolve(dir));
    if (state && leftOut.length > 0)
      terminal().stderr.write(
        `the newest commit of ${dir} is damaged and left out, so the data set ends at position ${state.checkpoint?.position ?? 'none'}; the next export goes on from there\n`,
      );
  });
  addExport(analytics);
  addStatus(analytics);
  addFiles(analytics);
  addSchema(analytics);
  addVerify(analytics);
  addPrune(analytics);
  addQuery(analytics);
  addShell(analytics);
  addResolve(analytics);
  addReport(analytics);
  addCatalog(analytics);
  addDemo(analytics);
}

const withDirectory = (command: Command): Command =>
  withJsonOption(command).argument('<dir>', 'directory of the data set');

function time(value: string): number {
  const at = beginOf(value, Date.now());
  if (at !== undefined) return at;
  throw new InvalidArgumentError(`It must be ${TIME_HELP}.`);
}

function pastTime(value: string): number {
  const at = time(value);
  if (at <= Date.now()) return at;
  throw new InvalidArgumentError('It is not over yet.');
}

function root(value: string): string {
  if (isAbsolute(value) || /^[a-z][a-z0-9]*:\/\//.test(value)) return value.replace(/\/+$/, '');
  throw new InvalidArgumentError('It must be an absolute path or a URL: /mnt/plaza, s3://bucket/plaza.');
}

/** The collector reads other names not at all, and a name without a place would be noticed late. */
function metricsFile(value: string): string {
  const file = resolve(value);
  if (file.endsWith('.prom') && existsSync(dirname(file))) return file;
  throw new InvalidArgumentError('It must be a name in *.prom, in an existing directory.');
}

function addExport(analytics: Command): void {
  withReason(analytics.command('export'))
    .argument('<dir>', 'directory of the data set')
    .description('export new events of the log; repeat it to go on where it ended; recorded as an event')
    .option('--since <time>', `leave older events out: ${TIME_HELP}`, pastTime)
    .option('--follow', 'go on with each new event until Ctrl-C')
    .addOption(
      new Option('--personal <mode>', 'personal fields: left out, or as ciphertexts').choices([
        'none',
        'encrypted',
      ]),
    )
    .option('--operators', 'say which operator acted, by a pseudonym of its own')
    .option('--no-operators', 'with --rebuild: say so no more')
    .addOption(new Option('--compression <codec>', 'of new files').choices(['zstd', 'none']).default('zstd'))
    .option(
      '--root <path>',
      'where readers of views.sql find the directory, as below a mount; later runs keep it',
      root,
    )
    .option('--rewind', 'drop events that the log lost, then export')
    .option('--rebuild', 'drop all files and export anew')
    .option(
      '--metrics <file>',
      'write how far the data set reaches, for the node exporter of Prometheus: a name in *.prom',
      metricsFile,
    )
    .action(async (dir: string, { follow, rewind, rebuild, metrics, ...options }: ExportOptions) => {
      const { continuationOf, exportDataSet } = await import('../../../analytics/export/export-data-set.js');
      const { ExportPermission } = await import('../../../analytics/export/permission.js');
      const stop = new AbortController();
      onStopSignal(
        () => stop.abort(),
        () => process.exit(1),
      );
      const progress = new ProgressLine(String);
      const target = resolve(dir);
      const config = readConfig();
      const sources = {
        signal: stop.signal,
        now: Date.now,
        onNotice: (line: string) => console.error(plainText(line)),
      };
      const permission = new ExportPermission({
        ...sources,
        ask: () =>
          actsOf<typeof analyticsActs>(options).call('POST /operator/analytics/exports', {
            reason: options.reason,
          }),
        isAlone: config.analyticsExportAlone === 'on',
      });
      const { events, older, folded, rewound, isComplete, state } = await exportDataSet(config, target, {
        ...options,
        ...sources,
        permission,
        follow: follow === true,
        rewind: rewind === true,
        rebuild: rebuild === true,
        metricsFile: metrics,
        onProgress: (step) => progress.show(step),
      }).finally(() => progress.done());
      const position = state.checkpoint?.position ?? null;
      if (!isComplete && !follow)
        throw new Failure(`stopped at position ${position}; ${continuationOf(target)} to go on from there`);
      printResult(options, { dir: target, events, older, folded, position, rewound }, [
        ...(rewound
          ? [
              `dropped ${rewound.droppedEvents} events after position ${rewound.to ?? 'none'}, which the log lost`,
            ]
          : []),
        `exported ${events} events to ${target}, up to position ${position ?? 'none'}`,
        ...(older > 0 ? [`left out ${older} older events${asFolded(folded)}`] : []),
      ]);
      process.exitCode = 0;
      // An attempt to connect to a former address of the event store would keep the process for minutes.
      if (stop.signal.aborted) process.exit();
    });
}

function addStatus(analytics: Command): void {
  withDirectory(analytics.command('status'))
    .description('show how far a data set reaches and how large it is')
    .option(
      '--max-lag <duration>',
      'fail if it lacks events that are older, as 15m: an export stands still or is far behind',
      parseDuration,
    )
    .action(async (dir: string, { maxLag, ...options }: OutputOptions & { readonly maxLag?: number }) => {
      const { statusOf } = await import('../../../analytics/data-set/status.js');
      const { wasLost } = await import('../../../analytics/data-set/parquet.js');
      const target = resolve(dir);
      const exportsAlone = readConfig().analyticsExportAlone === 'on';
      const status = { ...(await explained(target, () => statusOf(target))), exportsAlone };
      printResult(options, status, [
        `${status.events} events of ${status.days} days in ${status.files} files, ${formatBytes(status.bytes)}`,
        `up to position ${status.position ?? 'none'}, committed at ${status.committedAt}`,
        status.completeUntil === null
          ? 'no export has caught up with the log yet'
          : `has every event until ${timeText(status.completeUntil)}`,
        `personal fields: ${status.personal === 'none' ? 'left out' : 'as ciphertexts'}`,
        ...(status.operators ? ['operators: as pseudonyms'] : []),
        ...(status.since === null
          ? []
          : [`events before ${timeText(status.since)} are left out${asFolded(status.folded)}`]),
        ...(status.isExporting ? ['an export is running'] : []),
        ...(exportsAlone
          ? [
              'exports from here are unrecorded where no operator API or token is at hand (ANALYTICS_EXPORT_ALONE=on)',
            ]
          : []),
        ...(status.hasOlderColumns
          ? ['files of another release have other columns; plaza analytics export --rebuild makes them anew']
          : []),
      ]);
      if (status.lostFile !== null) throw wasLost(status.lostFile);
      if (maxLag !== undefined && Date.now() - (status.completeUntil ?? -Infinity) > maxLag)
        throw new Failure(
          `${target} ${status.completeUntil === null ? 'never had every event of the log' : `has every event until ${timeText(status.completeUntil)} only`}: does plaza analytics export --follow run, and does its event store answer?`,
        );
    });
}

function addFiles(analytics: Command): void {
  withDirectory(analytics.command('files'))
    .description('list the files of the newest commit')
    .action(async (dir: string, options: OutputOptions) => {
      const { requireState } = await import('../../../analytics/data-set/commits.js');
      const { files } = requireState(resolve(dir));
      const ordered = files.toSorted((a, b) => a.first - b.first);
      answerList(options, ordered, (all) =>
        tableLines(
          ['EVENTS', 'SIZE', 'FILE'],
          all.map(({ rows, bytes, path }) => [String(rows), formatBytes(bytes), path]),
        ),
      );
    });
}

function addSchema(analytics: Command): void {
  withDirectory(analytics.command('schema'))
    .description(
      'list the columns of the events and of all views: types, meanings, and values of a fixed list',
    )
    .action(async (dir: string, options: OutputOptions) => {
      const { schemaOf } = await import('../../../analytics/query/schema.js');
      answerList(options, schemaOf(resolve(dir)), (all) =>
        tableLines(
          ['VIEW', 'COLUMN', 'TYPE', 'MEANING'],
          all.map(({ view, name, type, meaning, values }) => [
            view,
            name,
            type,
            values.length > 0 ? `${meaning}: ${values.join(', ')}` : meaning,
          ]),
        ),
      );
    });
}

function addVerify(analytics: Command): void {
  withDirectory(analytics.command('verify'))
    .description('compare each file with the newest commit: changed, missing and foreign files')
    .action(async (dir: string, options: OutputOptions) => {
      const { verifyDataSet } = await import('../../../analytics/data-set/verify.js');
      const { requireState } = await import('../../../analytics/data-set/commits.js');
      const { filesOf } = await import('../../../analytics/data-set/state.js');
      const target = resolve(dir);
      const total = filesOf(requireState(target)).reduce((sum, { bytes }) => sum + bytes, 0);
      const progress = new ProgressLine(formatBytes);
      let done = 0;
      const show = (bytes: number) => progress.show({ what: 'verified', done: (done += bytes), total });
      const verified = await explained(target, () => verifyDataSet(target, show)).finally(() =>
        progress.done(),
      );
      const { files, events, faults, foreignSearched } = verified;
      printResult(options, verified, [
        ...faults.map(({ path, fault }) => `${fault}: ${path}`),
        ...(foreignSearched ? [] : ['an export is running, so foreign files were not searched']),
        `${files} files with ${events} events verified: ${faults.length} faults`,
      ]);
      if (faults.length > 0)
        throw new Failure(
          faults.every(({ fault }) => fault === 'foreign')
            ? `no commit names ${faults.length} files: queries leave them out; move them away`
            : `${faults.length} files differ from the newest commit: export into another directory, or --rebuild`,
        );
    });
}

function addPrune(analytics: Command): void {
  withDirectory(analytics.command('prune'))
    .description('remove whole days, and leave them out of later exports')
    .requiredOption('--before <time>', `the first day that stays: ${TIME_HELP}`, time)
    .option('--forget', 'leave nothing of them, not even counts: for deletions that the law asks for')
    .action(async (dir: string, { before, forget, ...options }: PruneOptions) => {
      const { pruneDataSet } = await import('../../../analytics/export/prune-data-set.js');
      const request = { before, forget: forget === true };
      const removed = await pruneDataSet(resolve(dir), request, Date.now);
      const { events, days, firstDay, folded } = removed;
      printResult(options, removed, [
        `removed ${events} events of ${days} days${asFolded(folded)}; the first day that stays is ${firstDay}`,
      ]);
    });
}

const asFolded = (people: number | null): string =>
  people === null
    ? '; views that need them say that they are not complete'
    : `, folded into rows of ${people} people`;

function addReport(analytics: Command): void {
  withMemory(withDirectory(analytics.command('report')))
    .description('draw the answers to common questions on a page that opens offline')
    .argument('[file]', 'the page (default: DIR/report.html)')
    .action(async (dir: string, file: string | undefined, options: OutputOptions & MemoryOptions) => {
      const { writeReport } = await import('../../../analytics/report/report.js');
      const { paths } = await import('../../../analytics/data-set/paths.js');
      const progress = new ProgressLine(String);
      const show = (done: number, total: number) => progress.show({ what: 'answers', done, total });
      const path = resolve(file ?? paths.report(dir));
      await explained(dirname(path), () => writeReport(resolve(dir), path, show, options.memory)).finally(
        () => progress.done(),
      );
      printResult(options, { path }, [`wrote ${path}`]);
    });
}

function addCatalog(analytics: Command): void {
  withDirectory(analytics.command('catalog'))
    .description('make all views in a database of DuckDB, for tools that open one; what else it holds stays')
    .argument('<file>', 'the database, created if there is none')
    .action(async (dir: string, file: string, options: OutputOptions) => {
      const { writeCatalog } = await import('../../../analytics/query/catalog.js');
      const target = resolve(file);
      const commit = await writeCatalog(resolve(dir), target);
      printResult(options, { file: target, commit }, [`made the views of commit ${commit} in ${target}`]);
    });
}

function addDemo(analytics: Command): void {
  withDirectory(analytics.command('demo'))
    .description('make a data set of an invented network, to try queries and the report without one')
    .action(async (dir: string, options: OutputOptions) => {
      const { writeDemo } = await import('../../../analytics/demo/write-demo.js');
      const target = resolve(dir);
      const { signal } = new AbortController();
      const { events } = await explained(target, () => writeDemo(target, signal));
      printResult(options, { dir: target, events }, [
        `wrote ${events} events of a network that never existed to ${target}`,
      ]);
    });
}
