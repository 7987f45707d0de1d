import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { FilterOptions } from '../reading/event-filter.js';
import type { Position } from '../reading/positions.js';
import { translateExpression, UnsupportedExpressionError } from './filter-expression.js';
import { streamName } from './messages.js';
import { InvalidRequestError } from '../status.js';

export type StartPoint<T> = 'start' | 'end' | T;

export interface ReadFilter extends FilterOptions {
  checkpointInterval: number;
}

export interface ReadRequest {
  target:
    | { kind: 'stream'; stream: string; from: StartPoint<number> }
    | { kind: 'all'; from: StartPoint<Position>; filter?: ReadFilter };
  backwards: boolean;
  count: number | undefined;
  resolveLinks: boolean;
  structuredIds: boolean;
  streamPositions: boolean;
}

type Options = ReadReq.Options;
type Filter = NonNullable<ReturnType<Options['getFilter']>>;

/**
 * Search window of a filter that names none, as in EventStoreDB. Here it only decides how often a subscription sends
 * checkpoints.
 */
const DEFAULT_WINDOW = 32;

export function parseReadRequest(request: ReadReq): ReadRequest {
  const options = request.getOptions();
  if (!options)
    throw new InvalidRequestError(
      'the read was refused: its request has no options with stream and position',
    );
  const backwards = options.getReadDirection() === streamsPb.ReadReq.Options.ReadDirection.BACKWARDS;
  const count = options.hasCount() ? Number(options.getCount()) : undefined;
  if (count === undefined && !options.hasSubscription())
    throw new InvalidRequestError(
      'the read was refused: its request asks for neither a number of events nor a subscription',
    );
  if (count === undefined && options.getFilter()?.getCheckpointintervalmultiplier() === 0) {
    throw new InvalidRequestError('the subscription was refused: the checkpoint interval of its filter is 0');
  }
  if (count === undefined && backwards)
    throw new InvalidRequestError('the subscription was refused: it would go backwards, and only reads can');
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
  if (options.hasFilter())
    throw new InvalidRequestError('the read was refused: it filters a stream, and only $all can be filtered');
  const stream = options.getStream();
  const from = stream?.hasRevision() ? Number(stream.getRevision()) : stream?.hasEnd() ? 'end' : 'start';
  return { kind: 'stream', stream: streamName(stream?.getStreamIdentifier()), from };
}

function allTarget(options: Options): ReadRequest['target'] {
  const all = options.getAll();
  if (!all)
    throw new InvalidRequestError('the read was refused: its request names neither a stream nor $all');
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
  if (!expression)
    throw new InvalidRequestError('the read was refused: its filter names neither streams nor event types');
  const window = filter.hasMax() ? filter.getMax() : DEFAULT_WINDOW;
  if (window === 0)
    throw new InvalidRequestError('the read was refused: the search window of its filter is 0');
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
    throw new InvalidRequestError(`the read was refused: ${error.message}`);
  }
}
