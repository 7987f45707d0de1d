import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { FilterOptions } from '../reading/event-filter.js';
import type { Position } from '../reading/positions.js';
import { translateExpression, UnsupportedExpressionError } from './filter-expression.js';
import { streamName } from './messages.js';
import { InvalidRequestError } from './status.js';

export type StartPoint<T> = 'start' | 'end' | T;

export interface ReadFilter extends FilterOptions {
  checkpointInterval: number;
}

export interface ReadRequest {
  target:
    | { kind: 'stream'; stream: string; from: StartPoint<number> }
    | { kind: 'all'; from: StartPoint<Position>; filter?: ReadFilter };
  backwards: boolean;
  /** Undefined for a subscription. */
  count: number | undefined;
  resolveLinks: boolean;
  structuredIds: boolean;
  streamPositions: boolean;
}

type Options = ReadReq.Options;
type Filter = NonNullable<ReturnType<Options['getFilter']>>;

/** EventStoreDB's default; only checkpoints depend on it here. */
const DEFAULT_WINDOW = 32;

export function parseReadRequest(request: ReadReq): ReadRequest {
  const options = request.getOptions();
  if (!options) throw new InvalidRequestError('the options of the read are missing');
  const backwards = options.getReadDirection() === streamsPb.ReadReq.Options.ReadDirection.BACKWARDS;
  const count = options.hasCount() ? Number(options.getCount()) : undefined;
  if (count === undefined && !options.hasSubscription())
    throw new InvalidRequestError('neither count nor subscription is set');
  if (count === undefined && options.getFilter()?.getCheckpointintervalmultiplier() === 0) {
    throw new InvalidRequestError('the checkpoint interval of the filter is 0');
  }
  if (count === undefined && backwards) throw new InvalidRequestError('a subscription cannot go backwards');
  return {
    target: options.hasStream() ? streamTarget(options) : allTarget(options),
    backwards,
    count,
    resolveLinks: options.getResolveLinks(),
    structuredIds: !options.getUuidOption()?.hasString(),
    streamPositions: (options.getControlOption()?.getCompatibility() ?? 0) >= 1,
  };
}

function streamTarget(options: Options): ReadRequest['target'] {
  if (options.hasFilter()) throw new InvalidRequestError('only $all can be filtered');
  const stream = options.getStream();
  const from = stream?.hasRevision() ? Number(stream.getRevision()) : stream?.hasEnd() ? 'end' : 'start';
  return { kind: 'stream', stream: streamName(stream?.getStreamIdentifier()), from };
}

function allTarget(options: Options): ReadRequest['target'] {
  const all = options.getAll();
  if (!all) throw new InvalidRequestError('the read names neither a stream nor $all');
  const position = all.getPosition();
  const filter = options.getFilter();
  return {
    kind: 'all',
    from: position
      ? { commit: Number(position.getCommitPosition()), prepare: Number(position.getPreparePosition()) }
      : all.hasEnd()
        ? 'end'
        : 'start',
    ...(filter ? { filter: parseFilter(filter) } : {}),
  };
}

function parseFilter(filter: Filter): ReadFilter {
  const byStream = filter.getStreamIdentifier();
  const expression = byStream ?? filter.getEventType();
  if (!expression) throw new InvalidRequestError('the filter names neither streams nor event types');
  const window = filter.hasMax() ? filter.getMax() : DEFAULT_WINDOW;
  if (window === 0) throw new InvalidRequestError('the search window of the filter is 0');
  const regex = expression.getRegex();
  return {
    on: byStream ? 'stream' : 'type',
    matches: regex === '' ? { prefixes: expression.getPrefixList() } : { regex: compile(regex) },
    checkpointInterval: window * filter.getCheckpointintervalmultiplier(),
  };
}

function compile(pattern: string): RegExp {
  try {
    return translateExpression(pattern);
  } catch (error) {
    if (!(error instanceof UnsupportedExpressionError)) throw error;
    throw new InvalidRequestError(`the filter's expression cannot be used: ${error.message}`);
  }
}
