import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../src/launch/free-port.js';
import { signIn as authorize } from '../../src/programs/demo/sign-in.js';
import { operatorOf, password, redirectUri, registerApplication, send, signIn } from '../support/api.js';
import type { Application, SignedIn } from '../support/api.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { post, removePost } from '../support/social.js';
import { until } from '../support/until.js';
import { PRINT_LOADED_TRACERS, countLoadedTracers } from './support/loaded-tracers.js';
import { startOtlpSink } from './support/otlp-sink.js';
import type { OtlpSink, SentSpan } from './support/otlp-sink.js';
import { Scrape } from './support/scrape.js';

describe('a network without a collector', () => {
  let network: TestNetwork;
  let workerPort: number;
  let application: Application;
  let alice: SignedIn;

  beforeAll(async () => {
    workerPort = await freePort();
    network = await startNetwork({ METRICS_PORT: String(workerPort), ...PRINT_LOADED_TRACERS });
    application = await registerApplication(network);
    alice = await signIn(network, application, 'openid read post:create post:delete');
  });

  afterAll(() => network?.stop());

  const api = () => Scrape.of(network.env['OPERATOR_PORT']);
  const worker = () => Scrape.of(workerPort);

  /** Growth of a sample while `act` ran. A request is counted a moment after its answer. */
  async function growth(
    act: () => Promise<unknown>,
    ...[name, labels]: Parameters<Scrape['sum']>
  ): Promise<number> {
    const before = (await api()).sum(name, labels);
    await act();
    return until(async () => (await api()).sum(name, labels) - before);
  }

  const requestsTo = (http_route: string, status: number) =>
    [
      'http_server_request_duration_seconds_count',
      { http_route, http_response_status_code: String(status) },
    ] as const;

  describe('the metrics of the API', () => {
    it('count a request by the template of its route and its status', async () => {
      expect(await growth(() => alice.say('hello'), ...requestsTo('/api/posts', 200))).toBe(1);
      const id = await post(alice, 'to be read');
      expect(await growth(() => alice.get(`/api/posts/${id}`), ...requestsTo('/api/posts/:id', 200))).toBe(1);
      expect(await growth(() => fetch(`${network.baseUrl}/api/none`), ...requestsTo('unmatched', 404))).toBe(
        1,
      );
    });

    it('count requests to the operator API and to the authorization server', async () => {
      const list = () => operatorOf(network).get('applications');
      expect(await growth(list, ...requestsTo('/operator/applications', 200))).toBe(1);
      const discover = () => fetch(`${network.baseUrl}/api/auth/.well-known/openid-configuration`);
      expect(
        await growth(discover, ...requestsTo('/api/auth/.well-known/openid-configuration', 200)),
      ).toBeGreaterThan(0);
    });

    it('measure a command, its append and its statements', async () => {
      const say = () => alice.say('measured');
      expect(
        await growth(say, 'plaza_command_duration_seconds_count', { command: 'CreatePost', outcome: 'done' }),
      ).toBe(1);
      expect(await growth(say, 'plaza_log_append_duration_seconds_count', { outcome: 'done' })).toBe(1);
      const reads = { store: 'read', error_type: '' };
      expect(await growth(say, 'db_client_operation_duration_seconds_count', reads)).toBeGreaterThan(0);
      expect(
        (await api()).sum('db_client_operation_duration_seconds_count', { store: 'vault' }),
      ).toBeGreaterThan(0);
    });

    it.each(['prepare', 'accept', 'finalize'])('measure the step %s of the witness', async (step) => {
      const id = await post(alice, 'to be deleted');
      const remove = () => removePost(alice, id);
      expect(
        await growth(remove, 'plaza_witness_step_duration_seconds_count', { step, outcome: 'done' }),
      ).toBe(1);
    });

    it('count refusals by their published code, in each format of an error', async () => {
      const { baseUrl } = network;
      const badToken = () =>
        send(baseUrl, 'GET', '/api/timeline', { headers: { authorization: 'Bearer no' } });
      expect(await growth(badToken, 'plaza_refusals_total', { code: 'invalid_token' })).toBe(1);
      const badClient = () =>
        fetch(`${baseUrl}/api/auth/oauth2/token`, {
          method: 'POST',
          body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'nobody' }),
        });
      expect(await growth(badClient, 'plaza_refusals_total', { code: 'invalid_client' })).toBeGreaterThan(0);
      const noPage = () => fetch(`${baseUrl}/account/none`, { headers: { accept: 'text/html' } });
      expect(await growth(noPage, 'plaza_refusals_total', { code: 'not_found' })).toBeGreaterThan(0);
      const noText = () => alice.say('');
      expect(await growth(noText, 'plaza_refusals_total', { code: 'invalid_text' })).toBe(1);
    });

    it('count sign-ins by outcome', async () => {
      const person = { handle: 'bobby', displayName: 'Bobby', email: 'bobby@example.org', password };
      await operatorOf(network).post('accounts', person);
      const enter = (typed: string) =>
        authorize(network.baseUrl, {
          ...application,
          redirectUri,
          handle: person.handle,
          password: typed,
          scope: 'openid read',
        }).catch(() => undefined);
      expect(await growth(() => enter(password), 'plaza_sign_ins_total', { outcome: 'succeeded' })).toBe(1);
      expect(await growth(() => enter('wrong'), 'plaza_sign_ins_total', { outcome: 'wrong_password' })).toBe(
        1,
      );
    });

    it('count an event stream when it begins, not when it ends', async () => {
      const stop = new AbortController();
      const listen = async () => {
        const headers = { accept: 'text/event-stream', authorization: `Bearer ${alice.token}` };
        const answer = await fetch(`${network.baseUrl}/api/events`, { headers, signal: stop.signal });
        expect(answer.headers.get('content-type')).toContain('text/event-stream');
      };
      expect(await growth(listen, ...requestsTo('/api/events', 200))).toBe(1);
      stop.abort();
    });

    it('report the free space of the disk', async () => {
      expect((await api()).sum('plaza_disk_free_bytes')).toBeGreaterThan(0);
    });
  });

  describe('the metrics of the worker', () => {
    it('measure the batches of each group, and their statements', async () => {
      await alice.say('to be projected');
      for (const group of ['serving', 'authority', 'audit'])
        await until(
          async () =>
            (await worker()).sum('plaza_projection_batch_duration_seconds_count', {
              group,
              outcome: 'done',
            }) > 0,
        );
      const statements = (await worker()).sum('db_client_operation_duration_seconds_count', {
        store: 'read',
      });
      expect(statements).toBeGreaterThan(0);
    });
  });

  it('without a collector no process loads the exporter of traces', () => {
    expect(countLoadedTracers(network.output())).toBe(0);
  });

  it('no metric has an identifier, a handle or a text', async () => {
    const id = await post(alice, 'unmistakable words');
    await alice.get(`/api/posts/${id}`);
    await alice.get(`/api/actors/${alice.actorId}`);
    const texts = [await api(), await worker()].map(({ text }) => text).join('');
    for (const secret of [id, alice.actorId, alice.appId, 'unmistakable', 'bobby'])
      expect(texts).not.toContain(secret);
  });
});

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
