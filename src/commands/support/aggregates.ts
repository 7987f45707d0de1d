import { evolveAccount, evolveHandle, freeHandle, noAccount } from '../../domain/account/account.js';
import { evolveLinks, noLinks } from '../../domain/account/recovery-link.js';
import { evolveApplication, noApplication } from '../../domain/application/application.js';
import type { ApplicationChanged } from '../../domain/application/events.js';
import { evolveApproval, noApproval } from '../../domain/approval/approval.js';
import { evolveBatch, noBatch } from '../../domain/batch/batch.js';
import { evolveCase, noCase } from '../../domain/case/case.js';
import { evolveDownloads, MAX_DOWNLOADS, noDownloads } from '../../domain/download/download.js';
import { evolveFourEyes, noFourEyes } from '../../domain/four-eyes/four-eyes.js';
import { evolveGrant, noGrant } from '../../domain/grant/grant.js';
import { evolveNetwork, noNetwork } from '../../domain/network/network.js';
import { evolveOperator, noOperator } from '../../domain/operator/operator.js';
import { evolvePost, noPost } from '../../domain/post/post.js';
import { evolveRegistration } from '../../domain/registration/registration.js';
import { evolveLike } from '../../domain/relation/like.js';
import type { Like } from '../../domain/relation/like.js';
import { evolvePair, initialPair } from '../../domain/relation/pair.js';
import { evolveReport, noReport } from '../../domain/report/report.js';
import type { EventLog } from '../../log/event-log.js';
import type { Recorded } from '../../log/recorded.js';
import type { StoredEvent } from '../../log/registry.js';
import { streams } from '../../log/streams.js';
import { firstAndNewestOf, newestEventOf } from './handle-command.js';
import type { Aggregate } from './handle-command.js';

/** Commands decide by these: the name of a stream, the state before its first event, and the state after each event. */
export const aggregates = {
  account: aggregate(streams.account, noAccount, evolveAccount),
  application: aggregate(streams.application, noApplication, evolveApplication),
  /** The newest change; undefined: it is as it was registered. */
  applicationChanges: aggregate(
    streams.applicationChanges,
    undefined as ApplicationChanged['data'] | undefined,
    (_older, { data }: ApplicationChanged) => data,
    newestEventOf,
  ),
  approval: aggregate(streams.approval, noApproval, evolveApproval),
  batch: aggregate(streams.batch, noBatch, evolveBatch),
  case: aggregate(streams.case, noCase, evolveCase),
  downloads: aggregate(streams.downloads, noDownloads, evolveDownloads, async (log, stream) =>
    (await log.read(stream, { limit: MAX_DOWNLOADS, direction: 'backwards' })).toReversed(),
  ),
  fourEyes: aggregate(streams.fourEyes, noFourEyes, evolveFourEyes, newestEventOf),
  grant: aggregate(streams.grant, noGrant, evolveGrant, firstAndNewestOf),
  handle: aggregate(streams.handle, freeHandle, evolveHandle, newestEventOf),
  like: aggregate(streams.like, undefined as Like, evolveLike),
  network: aggregate(streams.network, noNetwork, evolveNetwork),
  operator: aggregate(streams.operator, noOperator, evolveOperator),
  pair: aggregate(streams.pair, initialPair, evolvePair),
  post: aggregate(streams.post, noPost, evolvePost),
  recoveryLinks: aggregate(streams.recoveryLinks, noLinks, evolveLinks),
  registration: aggregate(streams.registration, 'unset', evolveRegistration, newestEventOf),
  report: aggregate(streams.report, noReport, evolveReport),
};

function aggregate<Ids extends readonly string[], State, Event extends StoredEvent>(
  streamOf: (...ids: Ids) => string,
  initial: State,
  evolve: (state: State, event: Event) => State,
  read?: Aggregate<State, Event>['read'],
) {
  return (...ids: Ids): Aggregate<State, Event> => ({
    stream: streamOf(...ids),
    initial,
    evolve,
    ...(read && { read }),
  });
}

/** Reads and returns the state as of now. @throws {LogUnavailable} */
export const readState = async <State, Event extends StoredEvent>(
  log: EventLog,
  aggregate: Aggregate<State, Event>,
): Promise<State> => {
  const { stream, read } = aggregate;
  return stateAfter(aggregate, read ? await read(log, stream) : await log.read(stream));
};

/** Returns the state after these events of a stream. */
export const stateAfter = <State, Event extends StoredEvent>(
  { initial, evolve }: Aggregate<State, Event>,
  recorded: readonly Recorded[],
): State => recorded.reduce((older, { event }) => evolve(older, event as Event), initial);
