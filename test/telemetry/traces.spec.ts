import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication, signIn } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { post } from '../support/social.js';
import { until } from '../support/until.js';
import { countLoadedTracers, PRINT_LOADED_TRACERS } from './support/loaded-tracers.js';
import { startOtlpSink } from './support/otlp-sink.js';
import type { OtlpSink, SentSpan } from './support/otlp-sink.js';

const TEXT = 'nobody else may read these words in a span';

describe('traces at a collector', () => {
  let sink: OtlpSink;
  let network: TestNetwork;
  let alice: SignedIn;

  beforeAll(async () => {
    sink = await startOtlpSink();
    network = await startNetwork({
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.endpoint,
      // A busy machine exports less often by itself.
      OTEL_BSP_SCHEDULE_DELAY: '200',
      ...PRINT_LOADED_TRACERS,
    });
    alice = await signIn(network, await registerApplication(network));
    await post(alice, TEXT);
    await until(() => rootsOf('POST /api/posts').length === 1 && named('project serving').length > 0);
  });

  afterAll(async () => {
    await network?.stop();
    await sink?.stop();
  });

  const named = (name: string) => sink.spans.filter((span) => span.name === name);
  const rootsOf = (name: string) => named(name).filter(({ parentId }) => parentId === '');
  const traceOf = ({ traceId }: SentSpan) => sink.spans.filter((span) => span.traceId === traceId);
  const apiLines = (phrase: string) =>
    network
      .output()
      .split('\n')
      .filter((line) => line.includes('"process":"api"') && line.includes(phrase));
  const only = <T>(values: readonly T[]): T => {
    expect(values).toHaveLength(1);
    return values[0]!;
  };

  it('come from API and worker, which load the exporter because a collector is named', () => {
    expect(countLoadedTracers(network.output())).toBe(2);
  });

  it('have one trace for one post, from HTTP to the append', () => {
    const request = only(rootsOf('POST /api/posts'));
    const trace = traceOf(request);
    const command = only(trace.filter(({ name }) => name === 'CreatePost'));
    const append = only(trace.filter(({ name }) => name === 'append'));
    expect(command.parentId).toBe(request.spanId);
    expect(append.parentId).toBe(command.spanId);
    expect(append.attributes).toEqual({ 'plaza.event_types': ['post.created'] });
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/posts',
      'http.response.status_code': 200,
    });
    expect(trace.filter(({ parentId }) => parentId === '')).toEqual([request]);
    expect(new Set(trace.map(({ service }) => service))).toEqual(new Set(['plaza-api']));
  });

  it('have the SQL statements of a request inside of it, by operation and not by text', () => {
    const statements = traceOf(only(rootsOf('POST /api/posts'))).filter(
      ({ attributes }) => 'db.operation.name' in attributes,
    );
    expect(statements.length).toBeGreaterThan(0);
    for (const { parentId, attributes } of statements) {
      expect(parentId).not.toBe('');
      expect(attributes).toMatchObject({ 'db.system.name': 'postgresql' });
      expect(Object.keys(attributes)).not.toContain('db.query.text');
    }
  });

  it('have a trace of its own for a batch of a projection, with its statements', () => {
    const batch = rootsOf('project serving').at(-1)!;
    expect(batch.service).toBe('plaza-worker');
    expect(batch.attributes['plaza.events']).toBeGreaterThan(0);
    const names = traceOf(batch).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['BEGIN', 'COMMIT']));
  });

  it('have no SQL statement outside of a request, command or batch', () => {
    expect(
      sink.spans.filter(({ parentId, attributes }) => parentId === '' && 'db.operation.name' in attributes),
    ).toEqual([]);
  });

  it('name a refusal by its code', async () => {
    expect((await alice.get('/api/posts/AAAAAAAAAAAAAAAAAAAAAA')).status).toBe(404);
    const refused = await until(() => rootsOf('GET /api/posts/:id').at(-1));
    expect(refused.attributes).toMatchObject({
      'http.response.status_code': 404,
      'error.type': expect.stringMatching(/^[a-z_]+$/),
    });
  });

  it('have no text, no identifier of a person and no handle', async () => {
    const profile = await alice.get('/api/profile');
    const { handle } = profile.body.profile;
    await until(() => rootsOf('GET /api/profile').length > 0);
    const everything = Buffer.concat([...sink.bodies]).toString('latin1');
    for (const secret of [TEXT, handle, alice.actorId, alice.token, `Person ${handle}`]) {
      expect(secret).toEqual(expect.stringMatching(/.{6}/));
      expect(everything).not.toContain(secret);
    }
  });

  it('may be lost without harm to requests, which the log says once', async () => {
    sink.answer(400);
    await post(alice, 'still served');
    await until(() => apiLines('traces not exported').length > 0);
    sink.answer(200);
    await until(async () => {
      await post(alice, 'served again');
      return apiLines('traces exported again').length > 0;
    });
    expect(apiLines('traces not exported')).toHaveLength(1);
  });
});
