import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../src/base/config/logger.js';
import { Health } from '../../src/server/health/health.js';
import { JSON_BODY_LIMIT_BYTES } from '../../src/server/bodies/json-body.js';
import { LogCheck } from '../../src/server/health/log-check.js';
import { freePort } from '../../src/launch/free-port.js';
import { LARGEST_APPEND_BYTES } from '../../src/log/eventstoredb/append-size.js';
import { LogUnavailable } from '../../src/log/event-log.js';
import type { OpenLog } from '../../src/log/open-log.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { explainFailure } from '../../src/log/eventstoredb/usable.js';
import { startEmbeddedEventStore } from '@plaza/event-store/testing';
import type { EmbeddedEventStore } from '@plaza/event-store/testing';
import { startInterceptingProxy } from '../support/intercepting-proxy.js';
import type { Intercept } from '../support/intercepting-proxy.js';
import {
  denyAppends,
  denyReadsOfAll,
  limitAppendSize,
  limitEventSize,
} from '../support/event-store-refusals.js';
import { until } from '../support/until.js';
import { LogBench, metadata, newId, post } from './support/log-bench.js';

let bench: LogBench;
let store: EmbeddedEventStore;
let other: EmbeddedEventStore;
const close: (() => unknown)[] = [];

beforeAll(async () => {
  const start = () => startEmbeddedEventStore({ args: ['--tls'] });
  [bench, store, other] = await Promise.all([LogBench.open(), start(), start()]);
});

afterEach(async () => {
  for (const each of close.splice(0).toReversed()) await each();
});

afterAll(async () => {
  await Promise.all([bench?.close(), store?.stop(), other?.stop()]);
});

async function logAt(url: string): Promise<OpenLog['log']> {
  const opened = await bench.openAnother(url);
  close.push(() => opened.close());
  return opened.log;
}

async function frontServerUrl(intercept: Intercept, of: EmbeddedEventStore = store): Promise<string> {
  const front = await startInterceptingProxy(of, intercept);
  close.push(() => front.close());
  return front.url;
}

/** The explanations of a failed head read and a failed append, as `/readyz` requests them. */
async function explanations(url: string): Promise<readonly (string | undefined)[]> {
  const log = await logAt(url);
  const messageOf = (done: Promise<unknown>) =>
    done.then(
      () => undefined,
      ({ message }: Error) => message,
    );
  return [
    await messageOf(explainFailure(log, 'read', log.head())),
    await messageOf(explainFailure(log, 'append', log.checkWritable())),
  ];
}

/** Returns a function that gives what `/readyz` says about the event store at this address. */
async function readinessOf(url: string, lines: string[] = []): Promise<() => Promise<string | undefined>> {
  const check = new LogCheck(await logAt(url), () => performance.now());
  const logger = createLogger({ logLevel: 'warn' }, 'test', { write: (line) => void lines.push(line) });
  const health = new Health({ required: { log: () => check.check() }, informational: {} }, logger);
  return async () => (await health.readiness()).components['log']?.reason;
}

const withCa = (url: string, dir: string) =>
  url.replace(/tlsCAFile=.*/, `tlsCAFile=${encodeURIComponent(join(dir, 'tls.crt'))}`);

describe('the explanation for an operator', () => {
  it('is empty for a usable store', async () => {
    expect(await explanations(store.url)).toEqual([undefined, undefined]);
    expect(await explanations(bench.store.url)).toEqual([undefined, undefined]);
    expect(await explanations(await frontServerUrl(() => undefined))).toEqual([undefined, undefined]);
  });

  it.each<[string, (url: string) => string, string]>([
    [
      'a wrong password',
      (url) => url.replace(/:[^:]*@/, ':guessed@'),
      'rejects the user in EVENTSTORE_URL or its password',
    ],
    ['no user', (url) => url.replace(/\/\/.*@/, '//'), 'EVENTSTORE_URL names none'],
    [
      'a wrong CA',
      (url) => withCa(url, other.dir),
      'not signed by the CA that tlsCAFile in EVENTSTORE_URL names',
    ],
    ['no CA', (url) => url.replace(/&tlsCAFile=.*/, ''), 'name that CA with tlsCAFile'],
    ['no TLS', (url) => url.replace(/tls=true.*/, 'tls=false'), 'EVENTSTORE_URL has tls=false: remove it'],
  ])('names %s', async (_, change, sentence) => {
    const expected = expect.stringContaining(sentence);
    expect(await explanations(change(store.url))).toEqual([expected, expected]);
  });

  it('names TLS that the store does not speak', async () => {
    const expected = expect.stringContaining('does not speak TLS');
    expect(await explanations(bench.store.url.replace('tls=false', 'tls=true'))).toEqual([
      expected,
      expected,
    ]);
  });

  it('names a wrong CA where nodes are discovered, although the client reports only that none was found', async () => {
    const unusedPort = await freePort();
    const cluster = withCa(store.url, other.dir).replace(
      /localhost:(\d+)/,
      `localhost:${unusedPort},localhost:$1`,
    );
    for (const url of [cluster, withCa(store.url, other.dir).replace('esdb:', 'esdb+discover:')])
      expect((await explanations(url))[0]).toContain('tlsCAFile in EVENTSTORE_URL');
  });

  it('names a wrong CA before the readiness check times out, although the discovery takes longer', async () => {
    const reason = await readinessOf(withCa(store.url, other.dir).replace('esdb:', 'esdb+discover:'));
    expect(await until(async () => (await reason())?.includes('tlsCAFile in EVENTSTORE_URL'))).toBe(true);
  });

  it.each([
    ['esdb://PORT?tls=false', 'Nothing listens at its address.'],
    ['esdb://NAME?tls=false', 'Its host name does not resolve.'],
    ['esdb+discover://NAME?tls=false', 'The host name of the event store does not resolve.'],
    ['esdb+discover://PORT?tls=false', 'No node of the event store answers.'],
    ['esdb://PORT,PORT?tls=false', 'No node of the event store answers.'],
  ])('is what readiness and the log line say about %s: %s', async (pattern, expected) => {
    let url = pattern.replace('NAME', `${'x'.repeat(64)}.invalid:2113`);
    while (url.includes('PORT')) url = url.replace('PORT', `127.0.0.1:${await freePort()}`);
    const lines: string[] = [];
    const reason = await readinessOf(url, lines);
    await until(async () => (await reason()) === expected);
    expect(lines.at(-1)).toMatch(/not resolve|resolution failed|No node|ECONNREFUSED/);
  });

  it('names a user who may not read $all', async () => {
    expect(await explanations(await frontServerUrl(denyReadsOfAll))).toEqual([
      'The user in EVENTSTORE_URL may not read $all: add it, or a group of it, to $r in the $acl of $all.',
      undefined,
    ]);
  });

  it('names a user who may not append', async () => {
    expect(await explanations(await frontServerUrl(denyAppends))).toEqual([
      undefined,
      'The user in EVENTSTORE_URL may not append events: add it, or a group of it, to $w in the $userStreamAcl of $settings.',
    ]);
  });

  it('says that no user is sent without TLS', async () => {
    const url = await frontServerUrl(denyReadsOfAll, bench.store);
    for (const each of [url, url.replace('//', '//ann:secret@')])
      expect((await explanations(each))[0]).toContain('with tls=false in EVENTSTORE_URL none is sent');
  });

  it('is empty for an unavailable store', async () => {
    const log = await logAt(`esdb://127.0.0.1:${await freePort()}?tls=false`);
    await expect(explainFailure(log, 'read', log.head())).rejects.toThrow('did not answer');
    expect(await log.explain('read')).toBeUndefined();
  });
});

describe('a store that rejects the largest appends of the network', () => {
  const TOO_LARGE = expect.stringMatching(/rejects appends of 81920 bytes.*--max-append-size/);

  it.each([
    ['append', limitAppendSize],
    ['event', limitEventSize],
  ])('is told apart from one that accepts them, by the size of an %s', async (_, atMost) => {
    const limit = (bytes: number) => frontServerUrl(atMost(bytes), bench.store);
    expect(await explanations(await limit(LARGEST_APPEND_BYTES))).toEqual([undefined, TOO_LARGE]);
    expect(await explanations(await limit(LARGEST_APPEND_BYTES + 200))).toEqual([undefined, undefined]);
    expect(await bench.log.read('readiness')).toEqual([]);
  });

  it('is detected by an append that is larger than any of the network', async () => {
    const log = await logAt(await frontServerUrl(limitAppendSize(LARGEST_APPEND_BYTES), bench.store));
    const [postId, actorId, appId] = [newId(), newId(), newId()];
    const wide = (codePoints: number) => '😀'.repeat(codePoints);
    const mentions = Array.from({ length: 50 }, () => 'm'.repeat(64));
    const profile = { displayName: wide(64), bio: wide(500), website: wide(2_048) };
    const body = 'x'.repeat(JSON_BODY_LIMIT_BYTES);
    const largest: readonly [string, StoredEvent][] = [
      [
        `post-${postId}`,
        {
          type: 'post.created',
          data: { ...post(postId, 'alice', wide(2_000)).data, mentions },
        } as StoredEvent,
      ],
      [
        `profile-${actorId}`,
        { type: 'profile.changed', data: { actorId, handle: 'ann', ...profile, revision: 2, at: 1 } },
      ],
      [
        `application-${appId}`,
        {
          type: 'application.registered',
          data: { appId, name: 'app', redirectUris: [body], postLogoutRedirectUris: [], scopes: [], at: 1 },
        },
      ],
    ];
    for (const [stream, event] of largest) {
      const events = [{ id: randomUUID(), event }];
      const appended = log.append({
        stream,
        expected: 'no_stream',
        events,
        metadata: { ...metadata, reason: wide(500) },
      });
      await expect(appended).resolves.toMatchObject({ revision: 0n });
    }
  });

  it('makes an append that is too large an outage, which readiness reports', async () => {
    let limit = Infinity;
    const log = await logAt(
      await frontServerUrl((...given) => limitAppendSize(limit)(...given), bench.store),
    );
    await log.checkWritable();
    limit = 2_000;
    await expect(log.checkWritable()).resolves.toBeUndefined();
    const postId = newId();
    const append = {
      stream: `post-${postId}`,
      expected: 'no_stream' as const,
      events: [{ id: randomUUID(), event: post(postId, 'alice', '😀'.repeat(2_000)) }],
      metadata,
    };
    await expect(log.append(append)).rejects.toBeInstanceOf(LogUnavailable);
    await expect(explainFailure(log, 'append', log.checkWritable())).rejects.toThrow('--max-append-size');
    limit = Infinity;
    await log.append(append);
    await log.checkWritable();
    expect(await log.read(append.stream)).toHaveLength(1);
  });
});
