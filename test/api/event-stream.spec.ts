import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorOf, registerApplication, send, signIn } from '../support/api.js';
import type { Application, SignedIn } from '../support/api.js';
import { openEventStream } from '../support/event-stream.js';
import type { EventStream, StreamMessage } from '../support/event-stream.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { until } from '../support/until.js';

let network: TestNetwork;
let application: Application;
let alice: SignedIn;
const opened: EventStream[] = [];

beforeAll(async () => {
  network = await startNetwork({ RATE_LIMITS: 'on' });
  application = await registerApplication(network);
  alice = await signIn(network, application);
});
afterEach(() => opened.splice(0).forEach((stream) => stream.close()));
afterAll(() => network?.stop());

async function streamOf(who: SignedIn | undefined, headers: Record<string, string> = {}, path?: string) {
  const authorization: Record<string, string> = who ? { authorization: `Bearer ${who.token}` } : {};
  const options = { headers: { ...authorization, ...headers }, ...(path !== undefined && { path }) };
  const stream = await openEventStream(network.baseUrl, options);
  opened.push(stream);
  return stream;
}

const eventsOf = (stream: EventStream) => stream.messages.filter(({ event }) => event !== undefined);
const dataOf = ({ data }: StreamMessage) =>
  JSON.parse(data ?? 'null') as { post?: { text: string }; error?: string };
const textsOf = (stream: EventStream) => eventsOf(stream).map((message) => dataOf(message).post?.text);

describe('an event stream', () => {
  it('sends each event from now on, with the headers of a read', async () => {
    const stream = await streamOf(alice);
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stream.headers.get('cache-control')).toBe('no-store');
    expect(stream.headers.get('x-network-actor-id')).toBe(alice.actorId);
    expect(stream.headers.get('x-network-incarnation')).toBeTruthy();
    for (const text of ['one', 'two', 'three']) await alice.say(text);
    await until(() => eventsOf(stream).length === 3);
    expect(textsOf(stream)).toEqual(['one', 'two', 'three']);
    for (const message of eventsOf(stream)) {
      const { position } = JSON.parse(message.data ?? '') as { position: number };
      expect(message).toMatchObject({ event: 'post.created', id: String(position) });
    }
  });

  it('resumes after Last-Event-ID, which takes precedence over the cursor', async () => {
    const { body } = await alice.get('/api/events');
    await alice.say('missed');
    await alice.say('missed, too');
    const first = await streamOf(alice, {}, `/api/events?cursor=${body.cursor}`);
    await until(() => eventsOf(first).length === 2);
    const id = eventsOf(first)[0]?.id ?? '';
    const second = await streamOf(alice, { 'last-event-id': id }, `/api/events?cursor=${body.cursor}`);
    await until(() => eventsOf(second).length === 1);
    expect(textsOf(second)).toEqual(['missed, too']);
  });

  it('sends more events than one page holds', async () => {
    const { body } = await alice.get('/api/events');
    const texts = Array.from({ length: 60 }, (_, index) => `of many ${index}`);
    for (const text of texts) await alice.say(text);
    const stream = await streamOf(undefined, { 'last-event-id': String(body.cursor) });
    await until(() => eventsOf(stream).length >= texts.length);
    expect(textsOf(stream)).toEqual(texts);
  });

  it('asks the client to reconcile if it cannot resume, and continues from now', async () => {
    const stream = await streamOf(alice, { 'last-event-id': '9007199254740991' });
    await until(() => eventsOf(stream).length === 1);
    expect(eventsOf(stream)).toMatchObject([{ event: 'replace', id: expect.stringMatching(/^[0-9]+$/) }]);
    await alice.say('after that');
    await until(() => eventsOf(stream).length === 2);
    expect(textsOf(stream)).toEqual([undefined, 'after that']);
  });

  it('sends its position while nothing happens', async () => {
    const stream = await streamOf(alice);
    await until(() => stream.messages.some(({ id, event }) => id !== undefined && event === undefined));
    expect(eventsOf(stream)).toEqual([]);
  });

  it('ends with the reason when the account is suspended [flow-revalidated]', async () => {
    const person = await signIn(network, application);
    const stream = await streamOf(person);
    await operatorOf(network).post('accounts/:id/suspend', { id: person.actorId, reason: 'for the test' });
    await until(() => stream.ended());
    // The stream may have sent the suspension's own event before.
    const last = eventsOf(stream).at(-1);
    expect(last?.event).toBe('end');
    expect(last && dataOf(last).error).toBe('social_authority_required');
  });

  it('ends with the reason when the grant is revoked', async () => {
    const person = await signIn(network, application);
    const stream = await streamOf(person);
    await fetch(`${network.baseUrl}/api/auth/oauth2/revoke`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${application.clientId}:${application.clientSecret}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token: person.token }),
    });
    await until(() => stream.ended());
    expect(eventsOf(stream).map(dataOf)).toMatchObject([{ error: 'invalid_token' }]);
  });

  it.each([['last-event-id', 'soon'] as const, ['last-event-id', '-1'] as const])(
    'is refused for a malformed header: %s %s',
    async (name, value) => {
      const headers = { accept: 'text/event-stream', [name]: value };
      const answer = await send(network.baseUrl, 'GET', '/api/events', { headers });
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_cursor']);
    },
  );

  it('is not sent to a HEAD request', async () => {
    const headers = { accept: 'text/event-stream' };
    const answer = await send(network.baseUrl, 'HEAD', '/api/events', { headers });
    expect(answer.status).toBe(200);
  });

  it('ends in order when the server stops, and the client can resume', async () => {
    const stream = await streamOf(alice);
    await alice.say('the last one');
    await until(() => eventsOf(stream).length === 1);
    const id = eventsOf(stream)[0]?.id ?? '';
    await network.restart();
    expect(stream.ended()).toBe(true);
    expect(stream.messages.at(-1)).toEqual({ retry: expect.stringMatching(/^[0-9]+$/) });
    await alice.say('the next one');
    const next = await streamOf(alice, { 'last-event-id': id });
    await until(() => eventsOf(next).length === 1);
    expect(textsOf(next)).toEqual(['the next one']);
  });
});

it('ten event streams may be open on a process, and another may open as soon as one closes [header-retry-after]', async () => {
  const person = await signIn(network, application);
  const [first] = await Promise.all(Array.from({ length: 10 }, () => streamOf(person)));
  const eleventh = await person.get('/api/events', { accept: 'text/event-stream' });
  expect([eleventh.status, eleventh.body.error]).toEqual([429, 'pilot_rate_limited']);
  expect(eleventh.headers.get('retry-after')).toBe('5');
  expect((await person.get('/api/events')).status).toBe(200);
  await streamOf(undefined);
  first?.close();
  await until(() => streamOf(person).catch(() => undefined));
});
