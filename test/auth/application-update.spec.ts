/** Changes of an application, at two servers of one network. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import type { Command } from '@nestjs/cqrs';
import * as oidc from 'openid-client';
import { UpdateApplication } from '../../src/commands/application/update-application.js';
import { IssueGrant } from '../../src/commands/grant/grants.js';
import type { AskedDetails } from '../../src/domain/application/change.js';
import { Browser } from '../../src/programs/demo/browser.js';
import { EventLog, LogUnavailable } from '../../src/log/event-log.js';
import type { Append } from '../../src/log/event-log.js';
import { streams } from '../../src/log/streams.js';
import { commandsOn } from '../support/commands.js';
import { everyScope, password, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AnotherServer, AuthNetwork } from './support/auth-network.js';
import { authorizationRequest, connect, discover, isLive } from './support/flow.js';
import { post, send } from './support/raw.js';
import { Visitor } from './support/visitor.js';

const DAY_MS = 24 * 60 * 60_000;
const newUri = 'https://boulder.example/callback';

let network: AuthNetwork;
let other: AnotherServer;
let people = 0;

beforeAll(async () => {
  network = await startAuthNetwork();
  other = await network.startAnotherServer();
});

afterAll(async () => {
  await other?.close();
  await network?.stop();
});

const metadata = { requestId: 'r', operatorId: 'ada', reason: 'a test' };
const execute = <Result>(command: Command<Result>) => network.app().get(CommandBus).execute(command);

const update = (appId: string, asked: AskedDetails, expected = { endsGrants: true }) =>
  execute(new UpdateApplication(appId, asked, expected, metadata));

async function newPerson(): Promise<string> {
  const handle = `person_${++people}`;
  await network.createAccount(handle);
  return handle;
}

const changesOf = async (appId: string) =>
  (await network.log().read(streams.applicationChanges(appId))).map(({ event }) => event);

const typesOf = async (grantId: string) =>
  (await network.log().read(streams.grant(grantId))).map(({ event }) => event.type);

/** Where an authorization request leads at a server: its error, or `asked`. */
async function answerAt(port: number | undefined, client: oidc.Configuration, scope: string, uri: string) {
  const { url } = await authorizationRequest(client, scope, { redirect_uri: uri });
  const { status, headers, text } = await send(network, {
    path: `${url.pathname}${url.search}`,
    headers: [['accept', 'text/html']],
    ...(port !== undefined && { port }),
  });
  if (status >= 400) return /invalid_\w+/.exec(text)?.[0];
  return new URL(headers.location ?? '', network.baseUrl).searchParams.get('error') ?? 'asked';
}

describe('an application whose name, addresses and scopes are changed', () => {
  it('is the same one to its people, and at every server at once', async () => {
    const application = await network.registerApplication(['openid', 'offline_access', 'read']);
    const { clientId } = application;
    const client = await discover(network, application);
    const handle = await newPerson();
    const before = await connect(client, new Browser(network.baseUrl), handle, 'openid offline_access read');
    expect(await answerAt(other.port, client, 'read', redirectUri)).toBe('asked');
    expect(await answerAt(other.port, client, 'read post:create', redirectUri)).toBe('invalid_scope');

    const scopes = ['openid', 'offline_access', 'read', 'post:create'];
    const asked = { name: 'Boulder', redirectUris: [newUri], scopes };
    const fields = ['name', 'redirectUris', 'scopes'];
    const done = { changed: true, fields, endsGrants: 0, revision: 1 };
    expect(await update(clientId, asked)).toEqual(done);
    expect(await update(clientId, asked)).toEqual({ ...done, changed: false, fields: [] });
    for (const port of [undefined, other.port]) {
      expect(await answerAt(port, client, 'read post:create', newUri)).toBe('asked');
      expect(await answerAt(port, client, 'read', redirectUri)).toBe('invalid_redirect_uri');
    }

    // A refresh keeps the exact scopes, with the same secret, at the other server, too.
    const refresh = { grant_type: 'refresh_token', refresh_token: before.refreshToken };
    const refreshed = await post(network, 'token', application, refresh, other.port);
    expect(refreshed).toMatchObject({ status: 200, body: { scope: before.scope } });
    expect(await isLive(client, before.accessToken)).toBe(true);

    const attempt = await authorizationRequest(client, 'openid post:create', { redirect_uri: newUri });
    const callback = await new Browser(network.baseUrl).authorize(attempt.url, { handle, password });
    const tokens = await oidc.authorizationCodeGrant(client, callback, {
      pkceCodeVerifier: attempt.verifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
    });
    expect(tokens.scope?.split(' ').toSorted()).toEqual(['openid', 'post:create']);
    expect(tokens.claims()?.sub).toBe(before.subject);
    expect(await changesOf(clientId)).toHaveLength(1);
    expect(await network.log().read(streams.application(clientId))).toHaveLength(1);
  });

  it('keeps both of two concurrent changes', async () => {
    const { clientId } = await network.registerApplication();
    await Promise.all([update(clientId, { name: 'Boulder' }), update(clientId, { redirectUris: [newUri] })]);
    expect((await changesOf(clientId)).at(-1)?.data).toMatchObject({
      name: 'Boulder',
      redirectUris: [newUri],
    });
  });

  it('is not changed by somebody who saw an earlier state', async () => {
    const { clientId } = await network.registerApplication();
    const given = { revision: 0, endsGrants: true };
    await update(clientId, { name: 'Boulder' }, given);
    await expect(update(clientId, { name: 'Cliff' }, given)).rejects.toMatchObject({
      code: 'revision_conflict',
    });
    expect(await update(clientId, { name: 'Boulder' }, given)).toMatchObject({ changed: false });
    await expect(update('nobody', { name: 'Cliff' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keeps what it is while the log is unavailable', async () => {
    const application = await network.registerApplication();
    const client = await discover(network, application);
    await network.eventStore.stop();
    await expect(update(application.clientId, { redirectUris: [newUri] })).rejects.toThrow(LogUnavailable);
    await network.eventStore.start();
    expect(await answerAt(undefined, client, 'read', redirectUri)).toBe('asked');
  });

  it('is changed by a process that died after its append, as the next change shows', async () => {
    const application = await network.registerApplication();
    const { clientId } = application;
    const { dataSource } = network.database();
    const row = async () =>
      (
        await dataSource.query('SELECT name, scopes FROM authority.application WHERE app_id = $1', [clientId])
      )[0];
    const data = {
      appId: clientId,
      name: 'Boulder',
      redirectUris: [redirectUri],
      postLogoutRedirectUris: [],
      scopes: ['read'],
      changed: ['name', 'scopes'] as const,
      removedScopes: ['openid'],
      formerNames: [],
      at: Date.now(),
    };
    const event = { type: 'application.changed', data } as const;
    await network.log().append({
      stream: streams.applicationChanges(clientId),
      expected: 'no_stream',
      events: [{ id: randomUUID(), event }],
      metadata,
    });
    expect(await row()).toMatchObject({ name: 'Pebble' });
    // Grants of the lost change may still have to end, so it is not undone.
    await expect(update(clientId, { scopes: everyScope })).rejects.toMatchObject({
      code: 'revision_conflict',
    });
    expect(await row()).toEqual({ name: 'Boulder', scopes: ['read'] });
    expect(await update(clientId, { redirectUris: [newUri] })).toMatchObject({ revision: 2 });
    expect(await row()).toEqual({ name: 'Boulder', scopes: ['read'] });
  });
});

describe('an application that loses a scope', () => {
  it('says before how many grants end, and gets no new consent to it at any server', async () => {
    const application = await network.registerApplication();
    const { clientId } = application;
    const client = await discover(network, application);
    for (const scope of ['openid offline_access read', 'offline_access read post:create', 'post:create'])
      await connect(client, new Browser(network.baseUrl), await newPerson(), scope);
    const narrower = { scopes: ['openid', 'offline_access', 'read'] };
    await expect(update(clientId, narrower, { endsGrants: false })).rejects.toMatchObject({
      code: 'effect_mismatch',
      message: expect.stringMatching(/^This ends 2 grants that have block:read post:create/),
    });
    expect(await changesOf(clientId)).toEqual([]);
    expect(await update(clientId, narrower)).toMatchObject({ changed: true, endsGrants: 2, revision: 1 });
    for (const port of [undefined, other.port]) {
      expect(await answerAt(port, client, 'read', redirectUri)).toBe('asked');
      expect(await answerAt(port, client, 'read post:create', redirectUri)).toBe('invalid_scope');
    }
    await expect(update(clientId, { scopes: everyScope })).rejects.toMatchObject({
      code: 'revision_conflict',
    });
    expect(await update(clientId, { scopes: ['read'] })).toMatchObject({ endsGrants: 3 });
  });

  it('ends a grant whose consent came in between, and the person gets no code', async () => {
    const { clientId } = await network.registerApplication();
    const actorId = await network.createAccount(`person_${++people}`);
    const log = network.log();
    const grantId = randomUUID();
    // The consent has read the scopes when the application is changed, and is recorded afterwards.
    const late = Object.create(log, {
      append: {
        value: async (append: Append) => {
          if (append.stream === streams.grant(grantId) && append.expected === 'no_stream')
            await update(clientId, { scopes: ['read'] });
          return log.append(append);
        },
      },
    }) as EventLog;
    const issue = new IssueGrant(grantId, clientId, actorId, ['read', 'post:create'], metadata);
    await expect(commandsOn([[EventLog, late]], network.app()).execute(issue)).rejects.toMatchObject({
      code: 'capability_required',
    });
    expect(await typesOf(grantId)).toEqual(['grant.issued', 'grant.revoked']);
  });

  it('refuses each consent in parallel that its row does not show, and ends what that one recorded', async () => {
    const { clientId } = await network.registerApplication();
    const actorId = await network.createAccount(`person_${++people}`);
    const outcomeOf = async (scopes: readonly string[]) => {
      const grantId = randomUUID();
      const outcome = await execute(new IssueGrant(grantId, clientId, actorId, scopes, metadata)).then(
        () => 'given',
        (error: { code?: string }) => error.code,
      );
      return `${outcome}: ${(await typesOf(grantId)).join(' ')}`;
    };
    const [wide, small] = [['post:create'], ['read']];
    const consents = Array.from({ length: 24 }, (_, n) => outcomeOf(n % 2 ? small : wide));
    const { changed } = await update(clientId, { scopes: small });
    const outcomes = await Promise.all([...consents, outcomeOf(wide)]);
    expect(changed).toBe(true);
    const possible = new Set([
      'given: grant.issued',
      'capability_required: ',
      'capability_required: grant.issued grant.revoked',
    ]);
    expect(outcomes.filter((outcome) => !possible.has(outcome))).toEqual([]);
    expect(outcomes.filter((_, n) => n % 2)).toEqual(Array(12).fill('given: grant.issued'));
    expect(outcomes.at(-1)).toBe('capability_required: ');
    const { dataSource } = network.database();
    const [{ live }] = await dataSource.query(
      `SELECT count(*)::integer AS live FROM authority.app_grant
        WHERE app_id = $1 AND revoked_at IS NULL AND 'post:create' = ANY (scopes)`,
      [clientId],
    );
    // The background task ends these.
    expect(live).toBe(outcomes.filter((outcome, n) => n % 2 === 0 && outcome.startsWith('given')).length);
  });
});

describe('people see the former name', () => {
  it('for 30 days, where they consent and among their applications', async () => {
    const application = await network.registerApplication();
    const client = await discover(network, application);
    const handle = await newPerson();
    await connect(client, new Browser(network.baseUrl), handle);
    await update(application.clientId, { name: 'Boulder <b>' });
    const texts = async () => {
      const visitor = new Visitor(network.baseUrl);
      const { url } = await authorizationRequest(client, 'read');
      const consent = await visitor.submit(await visitor.open(url), { handle, password });
      return [consent.text, (await visitor.open(`${network.issuer}/account`)).text];
    };
    for (const text of await texts()) {
      expect(text).toContain('<bdi>Boulder &lt;b&gt;');
      expect(text).toMatch(/It was called <bdi>Pebble<\/bdi> until <time/);
    }
    network.advanceClock(29 * DAY_MS);
    for (const text of await texts()) expect(text).toContain('<bdi>Pebble</bdi>');
    network.advanceClock(DAY_MS);
    const [consent] = await texts();
    expect(consent).toContain('<bdi>Boulder &lt;b&gt;');
    expect(consent).not.toContain('Pebble</bdi>');
    network.advanceClock(-30 * DAY_MS);
  });
});
