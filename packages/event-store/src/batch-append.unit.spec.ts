/** Rules of appends that only the embedded store follows, or that the client never reaches. */
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { batchAppend, batchRequest, connect, read } from '../test/support/streams-calls.js';
import type { Batch } from '../test/support/streams-calls.js';
import { startEventStore, type RunningEventStore } from './server.js';

const NOW = new Date('2026-01-02T03:04:05.678Z');

let dir: string;
let store: RunningEventStore;
let client: StreamsClient;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plaza-server-'));
  store = await startEventStore({ dir, host: '127.0.0.1', port: 0, log: () => undefined, now: () => NOW });
  client = connect(store.port);
});

afterAll(async () => {
  client.close();
  await store.close();
  await rm(dir, { recursive: true });
});

const answersTo = (...requests: InstanceType<typeof streamsPb.BatchAppendReq>[]) =>
  batchAppend(client, requests);

describe('a batch append', () => {
  it('answers every append before the call ends', async () => {
    const answers = await answersTo(...Array.from({ length: 20 }, () => batchRequest({})));
    expect(answers.map((answer) => answer.hasSuccess())).toEqual(Array(20).fill(true));
  });

  it('of no events answers the revision of the stream', async () => {
    const stream = `s-${randomUUID()}`;
    const [none, , some] = await answersTo(
      batchRequest({ stream, ids: [] }),
      batchRequest({ stream }),
      batchRequest({ stream, ids: [] }),
    );
    expect(none!.getSuccess()!.hasNoStream()).toBe(true);
    expect(some!.getSuccess()!.getCurrentRevision()).toBe('0');
  });

  it('goes to a stream with the longest name, and to its metadata', async () => {
    const stream = randomUUID() + 'x'.repeat(2048 - 36);
    const answers = await answersTo(batchRequest({ stream }), batchRequest({ stream: `$$${stream}` }));
    expect(answers.map((answer) => answer.hasSuccess())).toEqual([true, true]);
  });

  const unfinished = (batch: Batch): InstanceType<typeof streamsPb.BatchAppendReq> =>
    batchRequest(batch).setIsFinal(false);
  const errorsOf = (answers: BatchAppendResp[]): (string | undefined)[] =>
    answers.map((answer) => answer.getError()?.getMessage());

  it('may have many incomplete appends at a time, and is refused beyond the limit', async () => {
    const first = unfinished({});
    const others = Array.from({ length: 1024 }, () => unfinished({}));
    const rest = batchRequest({ ids: [] }).setCorrelationId(first.getCorrelationId());
    rest.clearOptions();
    const answers = await answersTo(first, ...others, rest, batchRequest({}));
    expect(answers.map((answer) => answer.getCorrelationId()?.getString())).toEqual([
      others.at(-1)!.getCorrelationId()!.getString(),
      first.getCorrelationId()!.getString(),
      expect.any(String),
    ]);
    expect(errorsOf(answers)).toEqual([
      expect.stringContaining('too many incomplete appends'),
      undefined,
      undefined,
    ]);
  });

  it('is refused when its incomplete appends exceed the memory limit', async () => {
    const metadata = { type: 'x'.repeat(500_000), 'content-type': 'application/octet-stream' };
    const answers = await answersTo(...Array.from({ length: 40 }, () => unfinished({ metadata })));
    expect(errorsOf(answers)).toEqual(Array(7).fill(expect.stringContaining('too many incomplete appends')));
  });

  it('names the stream of a refused append, whichever of its requests was wrong', async () => {
    const first = unfinished({ stream: 'refused' });
    const second = batchRequest({ ids: ['nonsense'] });
    second.setCorrelationId(first.getCorrelationId());
    second.clearOptions();
    const [answer] = await answersTo(first, second);
    expect(Buffer.from(answer!.getStreamIdentifier()!.getStreamName_asU8()).toString()).toBe('refused');
  });

  it('times out when it is incomplete at its deadline, and stores nothing', async () => {
    const stream = `s-${randomUUID()}`;
    const late = unfinished({ stream, timeoutMs: 20 });
    const call = client.batchAppend();
    const answers: BatchAppendResp[] = [];
    const answered = new Promise<void>((resolve) =>
      call.on('data', (answer: BatchAppendResp) => answers.push(answer) > 0 && resolve()),
    );
    call.write(late);
    await answered;
    const rest = batchRequest({}).setCorrelationId(late.getCorrelationId());
    rest.clearOptions();
    call.write(rest);
    call.write(batchRequest({ stream, ids: [] }));
    const ended = once(call, 'end');
    call.end();
    await ended;
    expect(errorsOf(answers)).toEqual(['Timeout', undefined]);
    expect(answers[0]!.getCorrelationId()?.getString()).toBe(late.getCorrelationId()!.getString());
    expect(answers[1]!.getSuccess()!.hasNoStream()).toBe(true);
  });

  it('prefers a duration over a point in time as deadline', async () => {
    const deadline = new Date(NOW.getTime() - 1);
    const [appended] = await answersTo(batchRequest({ deadline, timeoutMs: 60_000 }));
    expect(appended!.hasSuccess()).toBe(true);
  });

  it('takes the time of its events from the clock that it is given', async () => {
    const stream = `s-${randomUUID()}`;
    await answersTo(batchRequest({ stream }));
    const [response] = await read(client, (of) => {
      const identifier = new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream));
      of.setStream(
        new streamsPb.ReadReq.Options.StreamOptions()
          .setStreamIdentifier(identifier)
          .setStart(new sharedPb.Empty()),
      );
    });
    const created = response!.getEvent()!.getEvent()!.getMetadataMap().get('created');
    expect(created).toBe(`${NOW.getTime()}0000`);
  });

  it.each<[string, Batch, string]>([
    ['to $all', { stream: '$all' }, "'$all' cannot be written to"],
    ['to the metadata stream of no stream', { stream: '$$' }, "'$$' is not a stream name"],
    ['to a stream with a long name', { stream: 'x'.repeat(2049) }, 'the stream name has 2049 bytes'],
    [
      'to the metadata of such a stream',
      { stream: `$$${'ö'.repeat(1025)}` },
      'the stream name has 2050 bytes',
    ],
    ['behind a revision that is none', { revision: 2n ** 64n - 1n }, 'is not a valid revision'],
    ['to a stream without a name', { stream: '' }, "'' is not a stream name"],
    ['of an event whose id is no UUID', { ids: ['nonsense'] }, 'the event id is not a UUID'],
    [
      'of an event with the empty id',
      { ids: ['00000000-0000-0000-0000-000000000000'] },
      'or is the empty UUID',
    ],
    ['of an event without a type', { metadata: { 'content-type': 'application/json' } }, "'type' is missing"],
    [
      'of an event with an empty type',
      { metadata: { type: '', 'content-type': 'application/json' } },
      "'type' is missing",
    ],
    ['of an event without a content type', { metadata: { type: 'tested' } }, "'content-type' is missing"],
    ['that has no time', { timeoutMs: 0 }, 'Timeout'],
    ['whose deadline has passed', { deadline: new Date(NOW.getTime() - 1) }, 'Timeout'],
  ])('%s is refused, and others of the call are not', async (_, batch, message) => {
    const [refused, appended] = await answersTo(batchRequest(batch), batchRequest({}));
    expect(refused!.getError()!.getMessage()).toContain(message);
    expect(appended!.hasSuccess()).toBe(true);
  });
});
