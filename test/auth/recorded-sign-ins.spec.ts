import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { streams } from '../../src/log/streams.js';
import { AccountFixture, isSignInPage } from './support/account.js';
import { password } from './support/auth-network.js';
import { authorizationRequest } from './support/flow.js';
import { Visitor } from './support/visitor.js';

let fixture: AccountFixture;

beforeAll(async () => {
  fixture = await AccountFixture.start();
});

afterAll(() => fixture.network.stop());

const signIns = async (actorId: string) =>
  (await fixture.network.log().read(streams.signIns(actorId))).map(({ event: { type, data }, metadata }) => ({
    type,
    data,
    metadata,
  }));

describe('a sign-in is recorded', () => {
  it('at the account page', async () => {
    const { actorId } = await fixture.newPerson();
    expect(await signIns(actorId)).toEqual([
      {
        type: 'account.signed_in',
        data: { actorId, at: expect.any(Number) },
        metadata: {
          actorId,
          addressClass: 'loopback',
          requestId: expect.any(String),
          clientRequestId: expect.any(String),
        },
      },
    ]);
  });

  it('with the application that asks for it', async () => {
    const { actorId, handle } = await fixture.newPerson();
    const visitor = new Visitor(fixture.network.baseUrl);
    const { url } = await authorizationRequest(fixture.client, 'read');
    await visitor.submit(await visitor.open(url), { handle, password });
    const [, second] = await signIns(actorId);
    expect(second?.metadata).toMatchObject({ actorId, appId: fixture.application.clientId });
  });

  it('of a sign-up', async () => {
    const handle = `new_${randomUUID().slice(0, 8)}`;
    const visitor = new Visitor(fixture.network.baseUrl);
    const form = await visitor.open(`${fixture.address}/sign-up`);
    await visitor.submit(form, { handle, displayName: 'N', email: `${handle}@example.org`, password });
    const [row] = await fixture.network
      .database()
      .dataSource.query('SELECT actor_id FROM authority.account WHERE handle = $1', [handle]);
    expect((await signIns(row.actor_id)).map(({ type }) => type)).toEqual(['account.signed_in']);
  });

  it('each time, also of several at the same time', async () => {
    const { actorId, handle } = await fixture.newPerson();
    await Promise.all([fixture.signInAs(handle), fixture.signInAs(handle), fixture.signInAs(handle)]);
    expect(await signIns(actorId)).toHaveLength(4);
  });
});

describe('no sign-in is recorded', () => {
  it('for a wrong password, and for a suspended person', async () => {
    const { actorId, handle } = await fixture.newPerson();
    await fixture.signInAs(handle, 'a wrong password');
    await fixture.suspend(handle, actorId);
    await fixture.signInAs(handle);
    expect(await signIns(actorId)).toHaveLength(1);
  });

  it('in the stream that commands read', async () => {
    const { actorId } = await fixture.newPerson();
    expect(await fixture.eventTypesIn(streams.account(actorId))).toEqual(['account.registered']);
  });
});

describe('without the log', () => {
  it('nobody is signed in, and the same form succeeds once it is back', async () => {
    const { handle, actorId } = await fixture.newPerson();
    const visitor = new Visitor(fixture.network.baseUrl);
    const form = await visitor.open(fixture.address);
    await fixture.network.eventStore.stop();
    const refused = await visitor.submit(form, { handle, password });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    expect(isSignInPage(await visitor.open(fixture.address))).toBe(true);
    await fixture.network.eventStore.start();
    await visitor.submit(form, { handle, password });
    expect(await fixture.isSignedIn(visitor)).toBe(true);
    expect(await signIns(actorId)).toHaveLength(2);
  });
});
