import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Role } from '../../src/domain/operator/roles.js';
import { projectInline } from '../../projections/authority/authority.projection.js';
import { OperatorNames } from '../../src/commands/operator/operator-names.js';
import { foundNetwork } from '../../projections/incarnations/network-identity.js';
import { streams } from '../../src/log/streams.js';
import { startOperatorApi } from '../../src/operator/entrances/operator-server.js';
import { operatorClient } from '../support/operator-client.js';
import type { OperatorClient } from '../support/operator-client.js';
import { enrollOperator, someName } from '../support/operators.js';
import type { EnrolledOperator } from '../support/operators.js';
import { everyScope, redirectUri, startAuthNetwork } from './support/auth-network.js';
import type { AuthNetwork } from './support/auth-network.js';

const DAY = 24 * 60 * 60_000;

let network: AuthNetwork;
let operatorApi: { close(): Promise<void> };
let url: string;
let shared: OperatorClient;

beforeAll(async () => {
  network = await startAuthNetwork();
  await foundNetwork(network.log(), { uuid: randomUUID, networkId: () => 'n-1' }, Date.now);
  operatorApi = await startOperatorApi(network.app());
  const { operatorHost, operatorPort } = network.config;
  url = `http://${operatorHost}:${operatorPort}`;
  shared = operatorClient(network.config);
});

afterAll(async () => {
  await operatorApi?.close();
  await network?.stop();
});

const enroll = (...roles: Role[]): Promise<EnrolledOperator> => enrollOperator(shared, roles);

const as = ({ token }: Pick<EnrolledOperator, 'token'>) =>
  operatorClient(Object.assign({}, network.config, { operatorToken: token }), 'mallory');

async function send(method: 'GET' | 'POST', path: string, token: string, body?: object) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'x-operator': 'mallory',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, string>> };
}

const sharedToken = () => readFileSync(join(network.config.dataDir, 'operator.token'), 'utf8').trim();
const status = ({ token }: Pick<EnrolledOperator, 'token'>) => send('GET', '/operator/projections', token);
const application = { name: 'Pebble', redirectUris: [redirectUri], scopes: everyScope };
const refused = (error: string, code: number) => ({ status: code, body: { error } });

describe('a personal token', () => {
  it('with a forged name is recorded as the operator of the token', async () => {
    const admin = await enroll('administrator');
    const { body } = await send('POST', '/operator/applications', admin.token, application);
    const [registered] = await network.log().read(streams.application(body['clientId'] ?? ''));
    expect(registered?.metadata).toMatchObject({ operatorId: admin.operatorId, operator: 'mallory' });
  });

  it('is told from the shared one, whose user only claims a name', async () => {
    const { body } = await send('POST', '/operator/applications', sharedToken(), application);
    const [registered] = await network.log().read(streams.application(body['clientId'] ?? ''));
    expect(registered?.metadata).toMatchObject({ operatorId: 'shared-token', operator: 'mallory' });
  });

  it('is recorded with its hash alone', async () => {
    const viewer = await enroll('viewer');
    const events = await network.log().read(streams.operator(viewer.operatorId));
    expect(events.map(({ event }) => event.type)).toEqual([
      'operator.invited',
      'operator.enrolled',
      'operator.token_issued',
    ]);
    expect(JSON.stringify(events.map(({ event }) => event))).not.toContain(viewer.token);
    expect(events.map(({ metadata }) => metadata.operatorId)).toEqual([
      'shared-token',
      viewer.operatorId,
      viewer.operatorId,
    ]);
  });

  it('is refused once it is revoked, and no other token of the operator', async () => {
    const viewer = await enroll('viewer');
    const other = await as(viewer).post('own/tokens', { label: 'desk' });
    expect(await as(other).post('own/tokens/:tokenId/revoke', { tokenId: viewer.tokenId })).toEqual({
      changed: true,
    });
    expect(await status(viewer)).toMatchObject(refused('invalid_token', 401));
    expect(await status(other)).toMatchObject({ status: 200 });
    expect(await as(other).post('own/tokens/:tokenId/revoke', { tokenId: viewer.tokenId })).toEqual({
      changed: false,
    });
  });

  it('of another operator is revoked by an administrator alone', async () => {
    const [viewer, moderator, admin] = [
      await enroll('viewer'),
      await enroll('moderator'),
      await enroll('administrator'),
    ];
    await expect(
      as(moderator).post('own/tokens/:tokenId/revoke', { tokenId: viewer.tokenId }),
    ).rejects.toThrow('(not_found)');
    await expect(
      as(moderator).post('operators/:id/tokens/:tokenId/revoke', {
        id: viewer.operatorId,
        tokenId: viewer.tokenId,
        reason: 'lost',
      }),
    ).rejects.toThrow('(capability_required)');
    expect(
      await as(admin).post('operators/:id/tokens/:tokenId/revoke', {
        id: viewer.operatorId,
        tokenId: viewer.tokenId,
        reason: 'lost',
      }),
    ).toEqual({ changed: true });
    expect(await status(viewer)).toMatchObject(refused('invalid_token', 401));
  });

  it('is unknown if nobody issued it', async () => {
    expect(await status({ token: `plop_${'a'.repeat(43)}` })).toMatchObject(refused('invalid_token', 401));
  });

  it('shows the day of its last use', async () => {
    const [viewer, auditor] = [await enroll('viewer'), await enroll('auditor')];
    const day = async () => {
      const listed = await as(auditor).get('operators');
      return listed.find(({ operatorId }) => operatorId === viewer.operatorId)?.tokens[0]?.lastUsedOn;
    };
    expect(await day()).toBeNull();
    await status(viewer);
    expect(await day()).toMatch(/^20\d\d-\d\d-\d\d$/);
  });

  it('cannot be issued with the shared token, which is nobody', async () => {
    await expect(shared.post('own/tokens', { label: 'desk' })).rejects.toThrow('(capability_required)');
  });
});

describe('an operator', () => {
  it('is listed with name, roles and tokens, and without any secret', async () => {
    const { operatorId, tokenId, token } = await enrollOperator(shared, ['viewer', 'auditor'], 'Ada L.');
    const listed = await as({ token }).get('operators');
    expect(listed.find((each) => each.operatorId === operatorId)).toEqual({
      operatorId,
      passkeys: [],
      name: 'Ada L.',
      state: 'active',
      roles: ['viewer', 'auditor'],
      invitedAt: expect.any(Number),
      invitationExpiresAt: null,
      needsConfirmation: false,
      sameNameAs: [],
      tokens: [
        {
          tokenId,
          label: 'command line',
          issuedAt: expect.any(Number),
          expiresAt: expect.any(Number),
          revokedAt: null,
          lastUsedOn: expect.any(String),
        },
      ],
    });
    expect(listed.flatMap(({ tokens }) => tokens.flatMap((each) => Object.keys(each)))).not.toContain(
      'tokenHash',
    );
  });

  it('has the new roles, and no old one, on the next request', async () => {
    const [operator, admin] = [await enroll('moderator'), await enroll('administrator')];
    expect(await send('GET', '/operator/applications', operator.token)).toMatchObject({ status: 200 });
    expect(
      await as(admin).post('operators/:id/roles', {
        id: operator.operatorId,
        roles: ['viewer'],
        reason: 'a new task',
      }),
    ).toEqual({
      changed: true,
      revision: 2,
    });
    expect(await send('GET', '/operator/applications', operator.token)).toMatchObject(
      refused('capability_required', 403),
    );
    expect(await status(operator)).toMatchObject({ status: 200 });
  });

  it('is refused from the next request on while suspended', async () => {
    const [viewer, admin] = [await enroll('viewer'), await enroll('administrator')];
    expect(await status(viewer)).toMatchObject({ status: 200 });
    await as(admin).post('operators/:id/suspend', { id: viewer.operatorId, reason: 'left' });
    expect(await status(viewer)).toMatchObject(refused('invalid_token', 401));
    await as(admin).post('operators/:id/reinstate', { id: viewer.operatorId, reason: 'came back' });
    expect(await status(viewer)).toMatchObject({ status: 200 });
  });

  it('is invited with a code that works once', async () => {
    const { operatorId, invitationCode } = await shared.post('operators', {
      name: someName(),
      roles: ['viewer'],
    });
    await expect(shared.post('enrollments', { invitationCode: `${invitationCode}x` })).rejects.toThrow(
      '(not_found)',
    );
    expect(await shared.post('enrollments', { invitationCode })).toMatchObject({ operatorId });
    await expect(shared.post('enrollments', { invitationCode })).rejects.toThrow('(not_found)');
  });

  it('who is suspended before the enrollment cannot enroll', async () => {
    const { operatorId, invitationCode } = await shared.post('operators', {
      name: someName(),
      roles: ['viewer'],
    });
    await shared.post('operators/:id/suspend', { id: operatorId, reason: 'a mistake' });
    await expect(shared.post('enrollments', { invitationCode })).rejects.toThrow('(not_found)');
  });
});

describe('the name of an operator', () => {
  const invite = (name: string) => shared.post('operators', { name, roles: ['viewer'] });
  const taken = '(intent_conflict)';

  it('belongs to one who is not suspended, whatever its form', async () => {
    const name = someName('Ana Lí');
    const { operatorId } = await invite(name);
    for (const same of [name, ` ${name.toUpperCase()}`, name.normalize('NFD'), name.replace(' ', '\u00A0 ')])
      await expect(invite(same)).rejects.toThrow(taken);
    await expect(invite(operatorId.toUpperCase())).rejects.toThrow(taken);
    await expect(invite('Shared Token')).rejects.toThrow('(invalid_text)');
    await shared.post('operators/:id/suspend', { id: operatorId, reason: 'left' });
    const next = await invite(name.toLowerCase());
    await expect(shared.post('operators/:id/reinstate', { id: operatorId, reason: 'back' })).rejects.toThrow(
      `The operator ${next.operatorId} has this name`,
    );
    await shared.post('operators/:id/suspend', { id: next.operatorId, reason: 'left, too' });
    expect(await shared.post('operators/:id/reinstate', { id: operatorId, reason: 'back' })).toMatchObject({
      changed: true,
    });
    await expect(
      shared.post('operators/:id/reinstate', { id: next.operatorId, reason: 'back' }),
    ).rejects.toThrow(taken);
  });

  it('belongs to one of those who are invited or reinstated with it at the same time', async () => {
    const name = someName('Ana');
    const invited = await Promise.allSettled(Array.from({ length: 6 }, () => invite(name)));
    const [winner, ...more] = invited.filter((each) => each.status === 'fulfilled');
    expect(more).toEqual([]);
    let { operatorId } = winner!.value;
    for (let round = 0; round < 4; round++) {
      await shared.post('operators/:id/suspend', { id: operatorId, reason: 'a test' });
      const [reinstated, ...others] = await Promise.allSettled([
        shared.post('operators/:id/reinstate', { id: operatorId, reason: 'a test' }),
        invite(name),
        invite(name),
      ]);
      const named = (await shared.get('operators')).filter(
        (each) => each.name === name && each.state !== 'suspended',
      );
      const succeeded = [reinstated, ...others].filter(({ status: end }) => end === 'fulfilled');
      expect([named.length, succeeded.length]).toEqual([1, 1]);
      operatorId = named[0]!.operatorId;
    }
  });

  it('is free again after an invitation that was killed half-way', async () => {
    const name = someName('Ana');
    const names = network.app().get(OperatorNames);
    const wanted = { operatorId: `half-way-${randomUUID()}`, revision: -1, mayFinish: true };
    await names.reserve(name, wanted, { requestId: 'test' });
    expect(await invite(name)).toMatchObject({ operatorId: wanted.operatorId });
    await expect(invite(name)).rejects.toThrow(taken);
  });

  it('that two have from an earlier release stays, marked, and is for no third one', async () => {
    const name = someName('Ana');
    const ids = [0, 1].map((n) => `twin-${n}-${randomUUID()}`);
    for (const operatorId of ids) {
      const event = {
        type: 'operator.invited',
        data: {
          operatorId,
          name,
          roles: ['viewer'],
          invitationHash: 'h',
          expiresAt: 2,
          needsConfirmation: false,
          at: 1,
        },
      } as const;
      const stream = streams.operator(operatorId);
      const metadata = { requestId: 'test' };
      await network
        .log()
        .append({ stream, expected: 'no_stream', events: [{ id: randomUUID(), event }], metadata });
      await projectInline(await network.log().read(stream), network.database().dataSource.manager);
    }
    const listed = (await shared.get('operators')).filter(({ operatorId }) => ids.includes(operatorId));
    expect(listed.map(({ sameNameAs }) => sameNameAs)).toEqual([[ids[1]], [ids[0]]]);
    await expect(invite(name)).rejects.toThrow(taken);
    await shared.post('operators/:id/suspend', { id: ids[0]!, reason: 'a double' });
    expect((await shared.get('operators')).flatMap(({ sameNameAs }) => sameNameAs)).toEqual([]);
  });
});

describe('a part of a backup', () => {
  it('is sent only to the operator who began the backup, and each sending is an event first', async () => {
    const [admin, other] = [await enroll('administrator'), await enroll('administrator')];
    const begun = await send('POST', '/operator/backups', admin.token, { parts: ['authority'] });
    const { backupId = '' } = begun.body;
    const path = `/operator/backups/authority?backupId=${backupId}`;
    const get = (token: string, from = path) =>
      fetch(url + from, { headers: { authorization: `Bearer ${token}` } });
    expect([(await get(other.token)).status, (await get(sharedToken())).status]).toEqual([404, 404]);
    expect((await get(admin.token, '/operator/backups/authority')).status).toBe(400);
    const sent = async () =>
      (await network.log().read(streams.backup(backupId))).filter(
        ({ event }) => event.type === 'backup.part_sent',
      );
    expect(await sent()).toEqual([]);
    const answer = await get(admin.token);
    expect([answer.status, (await answer.bytes()).length > 0]).toEqual([200, true]);
    expect(await sent()).toMatchObject([
      {
        event: { data: { backupId, part: 'authority' } },
        metadata: { operatorId: admin.operatorId },
      },
    ]);
  });
});

describe('the shared token', () => {
  let admin: EnrolledOperator;

  beforeAll(async () => {
    admin = await enroll('administrator');
    await shared.post('shared-token/limit', { reason: 'everybody has a token of their own' });
  });

  it('once limited, still invites, recovers, backs up and reads the status', async () => {
    expect(await status({ token: sharedToken() })).toMatchObject({ status: 200 });
    for (const path of ['/operator/recovery/apply', '/operator/backups', '/operator/operators'])
      expect(await send('POST', path, sharedToken(), { nonsense: true })).toMatchObject({ status: 400 });
  });

  it('once limited, suspends nobody', async () => {
    await expect(
      shared.post('operators/:id/suspend', { id: admin.operatorId, reason: 'a coup' }),
    ).rejects.toThrow(/limited to emergencies.* administrator.*\(capability_required\)/);
    await expect(shared.post('accounts/:id/suspend', { id: 'ada', reason: 'a coup' })).rejects.toThrow(
      '(capability_required)',
    );
    expect(await as(admin).post('shared-token/limit')).toEqual({ changed: false });
  });

  it('once limited, invites operators who stand out until another administrator confirms them', async () => {
    const { operatorId, token } = await enroll('administrator');
    const isMarked = async () =>
      (await as(admin).get('operators')).find((each) => each.operatorId === operatorId)?.needsConfirmation;
    expect(await isMarked()).toBe(true);
    await expect(as({ token }).post('operators/:id/confirm', { id: operatorId })).rejects.toThrow(
      '(not_owner)',
    );
    const accomplice = await enroll('administrator');
    await expect(as({ token }).post('operators/:id/confirm', { id: accomplice.operatorId })).rejects.toThrow(
      '(not_owner)',
    );
    await expect(shared.post('operators/:id/confirm', { id: operatorId })).rejects.toThrow(
      '(capability_required)',
    );
    const invited = await as({ token }).post('operators', { name: 'Puppet', roles: ['moderator'] });
    expect(
      (await as(admin).get('operators')).find((each) => each.operatorId === invited.operatorId),
    ).toMatchObject({
      needsConfirmation: true,
    });
    expect(await as(admin).post('operators/:id/confirm', { id: operatorId })).toEqual({ changed: true });
    expect(await isMarked()).toBe(false);
  });
});

describe('after its time', () => {
  it('a personal token and an invitation are refused', async () => {
    const viewer = await enroll('viewer');
    const { invitationCode } = await shared.post('operators', { name: someName(), roles: ['viewer'] });
    network.advanceClock(8 * DAY);
    await expect(shared.post('enrollments', { invitationCode })).rejects.toThrow('(not_found)');
    expect(await status(viewer)).toMatchObject({ status: 200 });
    network.advanceClock(83 * DAY);
    expect(await status(viewer)).toMatchObject(refused('invalid_token', 401));
  });
});
