import { randomBytes as systemBytes } from 'node:crypto';
import type { Config } from '../../base/config/config.js';
import { readRunFile } from '../../launch/run-file.js';
import type { UndecodedLog } from '../../log/event-log.js';
import { openUndecodedLog } from '../../log/open-log.js';
import { Failure } from '../../base/terminal/failure.js';
import type { ProgressStep } from '../../base/terminal/progress-line.js';
import { shapeOf } from '../columns/columns.js';
import type { Personal } from '../columns/columns.js';
import { DataSet, readKey } from '../data-set/data-set.js';
import { dayOf } from '../data-set/paths.js';
import type { Compression } from '../data-set/parquet.js';
import { foldedPeopleOf } from '../data-set/state.js';
import { requireFiles } from '../data-set/verify.js';
import type { State } from '../data-set/state.js';
import { demoKey } from '../data-set/demo-key.js';
import { writeViews } from '../query/views-file.js';
import { checkpointOf, exportEvents } from './export.js';
import type { Exported } from './export.js';
import { failureOf } from './failures.js';
import type { ExportPermission } from './permission.js';
import { followLog } from './follow.js';
import { Freshness } from './freshness.js';
import { rewind, rowsOf } from './rewind.js';
import type { Rewound } from './rewind.js';

const GIVE_UP_AFTER_MS = 15_000;

export interface ExportRequest {
  readonly personal?: Personal | undefined;
  readonly operators?: boolean | undefined;
  readonly root?: string | undefined;
  readonly since?: number | undefined;
  readonly compression?: Compression | undefined;
  readonly follow: boolean;
  readonly rewind: boolean;
  readonly rebuild: boolean;
  readonly metricsFile?: string | undefined;
  readonly permission: Pick<ExportPermission, 'obtain'>;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onNotice: (line: string) => void;
  readonly onProgress: (step: ProgressStep) => void;
}

export interface ExportResult extends Pick<Exported, 'isComplete'> {
  readonly events: number;
  /** Events before the begin of the data set, which are in no file. */
  readonly older: number;
  readonly rewound?: Rewound | undefined;
  readonly folded: number | null;
  readonly state: State;
}

/** @throws {Failure} */
export async function exportDataSet(
  config: Config,
  dir: string,
  request: ExportRequest,
): Promise<ExportResult> {
  const log = openUndecodedLog(eventStoreUrlOf(config));
  let next: string | undefined;
  try {
    await request.permission.obtain();
    if (readKey(dir)?.equals(demoKey) === true)
      throw new Failure(`${dir} is the demo's data set: name another directory`);
    // All files would be dropped for a log that does not answer.
    if (request.rebuild) await log.head();
    return await withDataSet(dir, request, async (dataSet) => {
      if (!request.rebuild) requireFiles(dir, dataSet.state);
      prepare(dataSet, request);
      if (request.root !== undefined && request.root !== dataSet.state.root)
        dataSet.commit('flush', { root: request.root });
      next = continuationOf(dir);
      const rewound = request.rewind ? await rewind(log, dataSet) : undefined;
      const rows = rowsOf(dataSet.state.files);
      const onProgress = await progressOf(log, dataSet, request.onProgress);
      const { follow, signal, now, permission, onNotice, metricsFile } = request;
      const options = { signal, now, permission, onProgress, onNotice, metricsFile };
      const exported = follow
        ? await followLog(() => openUndecodedLog(eventStoreUrlOf(config)), dataSet, options)
        : await exportEvents(log, dataSet, {
            ...options,
            follow,
            giveUpAfterMs: GIVE_UP_AFTER_MS,
            freshness: new Freshness(log, dataSet, options),
          });
      const { isComplete, events: all } = exported;
      const events = rowsOf(dataSet.state.files) - rows;
      return {
        isComplete,
        events,
        older: all - events,
        rewound,
        state: dataSet.state,
        folded: foldedPeopleOf(dataSet.state),
      };
    });
  } catch (error) {
    throw await failureOf(error, dir, { log, next });
  } finally {
    await log.close();
  }
}

/** Without `--rebuild`, which would drop what was exported. */
export const continuationOf = (dir: string): string => `run plaza analytics export ${dir}`;

type DataSetRequest = Pick<ExportRequest, 'personal' | 'operators' | 'since' | 'compression' | 'now'> & {
  readonly rebuild?: boolean;
  readonly randomBytes?: (length: number) => Buffer;
};

/** Runs `work` on a locked data set; after a failure, removes what is not committed, which may free a full disk. */
export async function withDataSet<Result>(
  dir: string,
  {
    personal = 'none',
    operators,
    since,
    compression,
    now,
    rebuild = false,
    randomBytes = systemBytes,
  }: DataSetRequest,
  work: (dataSet: DataSet) => Result | Promise<Result>,
): Promise<Result> {
  const initial = { personal, ...(operators === true && { operators }), since: since ?? null };
  const options = {
    now,
    randomBytes,
    onState: writeViews,
    isMadeAnew: rebuild,
    ...(compression && { compression }),
  };
  const dataSet = DataSet.open(dir, initial, options);
  try {
    return await work(dataSet);
  } catch (error) {
    try {
      dataSet.sweep();
    } catch {
      // The next export sweeps again.
    }
    throw error;
  } finally {
    dataSet.close();
  }
}

/**
 * Address of the event store: from the environment, else of the network that runs on `DATA_DIR`.
 * @throws {Failure}
 */
export function eventStoreUrlOf({ eventStoreUrl, dataDir }: Config): string {
  const url = eventStoreUrl ?? readRunFile(dataDir)?.settings['EVENTSTORE_URL'];
  if (url === undefined)
    throw new Failure(`no network runs on ${dataDir}: start it, or set DATA_DIR or EVENTSTORE_URL`);
  return url;
}

/** With `--rebuild` the data set begins anew, under its old key. */
function prepare(dataSet: DataSet, { personal, operators, since, rebuild, onNotice }: ExportRequest): void {
  const { state } = dataSet;
  if (rebuild) {
    const folded = state.folded === 'forgotten' ? state.folded : 'nothing';
    if (state.folded === 'forgotten' && since !== undefined && since < (state.since ?? 0))
      throw new Failure(
        `${dataSet.dir} had the days before ${dayOf(state.since ?? 0)} removed with --forget: name a later --since, or another directory`,
      );
    if (state.since !== null && state.folded === undefined)
      onNotice(
        'older events are now folded into rows of people; plaza analytics prune --forget removes these, too',
      );
    const contents = { personal: personal ?? state.personal, operators: operators ?? state.operators };
    const change = { ...contents, since: since ?? state.since, folded } as const;
    const removed = state.files;
    const shape = shapeOf(contents);
    return dataSet.commit('flush', { ...change, shape, checkpoint: null, applications: [], removed });
  }
  const { dir } = dataSet;
  if (personal !== undefined && personal !== state.personal)
    throw new Failure(
      `${dir} was exported with --personal ${state.personal}: leave the option out, or export anew with --rebuild`,
    );
  if (operators !== undefined && operators !== (state.operators ?? false))
    throw new Failure(
      `${dir} was exported ${operators ? 'without' : 'with'} --operators: leave the option out, or export anew with --rebuild`,
    );
  if (since === undefined || since === state.since) return;
  if (state.since === null)
    throw new Failure(
      `${dir} begins with the first event: leave --since out, or export anew with --rebuild --since`,
    );
  onNotice(`${dir} begins at ${new Date(state.since).toISOString()}, as before: only --rebuild changes that`);
}

/** The number of events to come is estimated from positions. */
async function progressOf(
  log: UndecodedLog,
  dataSet: DataSet,
  show: ExportRequest['onProgress'],
): Promise<(events: number, position: bigint) => void> {
  const head = Number((await log.head()) ?? 0n);
  const from = Number(checkpointOf(dataSet)?.position ?? 0n);
  return (done, position) => {
    const part = (Number(position) - from) / (head - from);
    show({ what: 'events', done, total: part >= 1 || Number.isNaN(part) ? done : Math.round(done / part) });
  };
}
