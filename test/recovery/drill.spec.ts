/**
 * A drill of recovery, step by step.
 *
 * @sample first
 * @waits
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { outcomeOf } from '../api/support/operations.js';
import { operatorOf, send } from '../support/api.js';
import { newDataDir } from '../support/data-dir.js';
import { destroyLog, destroyReadStore } from '../support/drill.js';
import { startNetwork } from '../support/network.js';
import type { TestNetwork } from '../support/network.js';
import { CHECKS_MS, until } from '../support/until.js';
import { destroyVault, holdPublication, isKeyDestroyed, releasePublication } from './support/destroy.js';
import { DrillScenario, expectedObservations, repeatPost } from './support/drill-scenario.js';
import { answerOf } from './support/operator.js';
import { unexpectedlyOpen, AuthorizationProbe } from './support/authorization-probe.js';

const scratch = newDataDir();
const backup = join(scratch, 'backup');

let network: TestNetwork;
let scenario: DrillScenario;
/** Of the suspended person. */
let probe: AuthorizationProbe;

beforeAll(async () => {
  network = await startNetwork();
  scenario = await DrillScenario.create(network);
  probe = await AuthorizationProbe.begin(network, scenario.application, scenario.cleo);
  await answerOf(network, ['backup', backup, '--reason', 'a drill']);
  await scenario.applyRestrictions();
});

afterAll(async () => {
  await network?.stop();
  rmSync(scratch, { recursive: true });
});

const restore = async (parts: string) => {
  await answerOf(network, ['restore', backup, '--parts', parts, '--reason', 'a drill']);
  await network.restart();
};

const quarantined = [503, 'recovery_quarantined'];

const status = () => operatorOf(network).get('recovery');

const readModelsReason = async () => {
  const { components } = (await (await fetch(`${network.baseUrl}/readyz`)).json()) as {
    components: Record<string, { reason?: string }>;
  };
  return components['readModels']?.reason;
};

describe('a network that lost its log and read models, restored from a backup older than some restrictions,', () => {
  it('shows no restricted content before the loss', async () => {
    expect(await scenario.observe()).toEqual(expectedObservations(scenario));
  });

  it('refuses all reads and writes, and gives the same reason everywhere', async () => {
    await destroyReadStore(network);
    await network.killAll('SIGKILL');
    destroyLog(network);
    await restore('log,read');
    await until(async () => (await status()).state === 'quarantined', CHECKS_MS);
    const { reason } = await status();
    expect(reason).toMatch(/^The log lacks 8 restrictions/);
    expect(await readModelsReason()).toContain(reason);
    const metrics = await fetch(`http://127.0.0.1:${network.env['OPERATOR_PORT']}/metrics`);
    expect(await metrics.text()).toContain(reason);
    for (const person of [scenario.ben, scenario.fay])
      expect(outcomeOf(await person.get('/api/timeline'))).toEqual(quarantined);
    expect(outcomeOf(await send(network.baseUrl, 'GET', `/api/posts/${scenario.deleted}`))).toEqual(
      quarantined,
    );
    expect(outcomeOf(await scenario.ana.say('Does this work?'))).toEqual(quarantined);
    // The log may have lost the owner of this token.
    const headers = { authorization: 'Bearer nobody-knows-it' };
    expect(outcomeOf(await send(network.baseUrl, 'GET', '/api/timeline', { headers }))).toEqual(quarantined);
    const body = { intentId: 'i', text: 'x', audience: 'public' };
    expect(outcomeOf(await send(network.baseUrl, 'POST', '/api/posts', { headers, body }))).toEqual(
      quarantined,
    );
  });

  it('refuses sign-ins, tokens and revocations', async () => {
    expect(await unexpectedlyOpen(probe)).toEqual([]);
    const headers = { accept: 'text/html' };
    const page = await fetch(`${network.baseUrl}/api/auth/account/sign-in`, { method: 'POST', headers });
    expect(await page.text()).toMatch(/in recovery.*Nothing was changed/s);
  });

  it('plans exactly the restrictions that the log lacks', async () => {
    const { restrictions } = await operatorOf(network).get('recovery/plan');
    expect(restrictions).toMatchObject({
      count: 8,
      byType: {
        'block.established': 1,
        'post.deleted': 2,
        // Of the person who disconnected the application, and of the erased person.
        'grant.revoked': 2,
        'account.suspended': 1,
        'account.erased': 1,
        'post.restricted': 1,
      },
    });
  });

  it('shows no restricted content after the recovery', async () => {
    await answerOf(network, ['recovery', 'apply', '--reason', 'a drill']);
    expect(await status()).toMatchObject({ state: 'serving' });
    expect(await scenario.observe()).toEqual(expectedObservations(scenario));
    expect(await probe.userinfo()).toEqual([403, 'social_authority_required']);
    expect(await probe.refresh()).toEqual([400, 'invalid_grant']);
  });

  it('reports lost intents to an application, which repeats them without duplicates', async () => {
    const { ana, kept, lostPost, lostDeletedPost } = scenario;
    const intentIds = [kept, lostPost!, lostDeletedPost!].map(({ intentId }) => intentId);
    const { body } = await ana.post('/api/intents/lookup', { intentIds });
    expect(body.intents.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'kept',
      'unknown',
      'unknown',
    ]);
    for (const _ of ['once', 'again']) {
      expect((await repeatPost(ana, kept)).body.post).toMatchObject({ id: kept.id, status: 'published' });
      expect((await repeatPost(ana, lostPost!)).body.post).toMatchObject({
        id: lostPost!.id,
        status: 'published',
      });
      expect((await repeatPost(ana, lostDeletedPost!)).body.post).toMatchObject({
        id: lostDeletedPost!.id,
        status: 'deleted',
      });
    }
    const { posts } = (await ana.get(`/api/actors/${ana.actorId}/posts`)).body;
    expect(posts.map(({ id }: { id: string }) => id)).toEqual([lostPost!.id, kept.id]);
  });
});

describe('the same network, after losing its vault as well,', () => {
  it('destroys again the key of an erased person, which the backup still contains', async () => {
    const { actorId } = scenario.dan;
    expect(await isKeyDestroyed(network, actorId)).toBe(true);
    const copied = readFileSync(join(backup, 'vault', 'person_key.copy'), 'utf8').split('\n');
    expect(copied.find((line) => line.includes(actorId))).not.toContain('\\N\t');
    await destroyReadStore(network);
    await destroyVault(network);
    await holdPublication(network);
    await network.killAll('SIGKILL');
    destroyLog(network);
    await restore('log,read,vault');
    await until(() => isKeyDestroyed(network, actorId));
  });

  it('refuses everything until its read models are built', async () => {
    const missing = [503, 'recovery_state_missing'];
    expect(outcomeOf(await scenario.ana.get('/api/timeline'))).toEqual(missing);
    expect(outcomeOf(await scenario.ana.say('Does this work?'))).toEqual(missing);
    expect(await unexpectedlyOpen(probe)).toEqual([]);
    await releasePublication(network);
    await until(async () => (await status()).state === 'quarantined', CHECKS_MS);
    expect(await unexpectedlyOpen(probe)).toEqual([]);
  });

  it('shows no restricted content after the recovery', async () => {
    await answerOf(network, ['recovery', 'apply', '--reason', 'a drill']);
    expect(await scenario.observe()).toEqual(expectedObservations(scenario));
  });
});
