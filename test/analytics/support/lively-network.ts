import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { allScopes } from '../../../src/domain/grant/scopes.js';
import { operatorOf, password, registerApplication, signInRegistered } from '../../support/api.js';
import type { Answer, Application, SignedIn } from '../../support/api.js';
import { awaited } from '../../support/awaited.js';
import { suspendAll, undoBatch } from '../../support/batches.js';
import { runPlaza } from '../../support/command.js';
import { newModerator, stateOf } from '../../support/moderators.js';
import type { TestNetwork } from '../../support/network.js';
import { until } from '../../support/until.js';

/** Texts, names and ids that a test gave to a network, and that an export must not have. */
export class LivelyNetwork {
  readonly secrets: string[] = [];
  readonly handles: string[] = [];

  constructor(readonly network: TestNetwork) {}

  /** A text that occurs nowhere else. */
  secret(kind: string): string {
    const text = `${kind}_${randomBytes(6).toString('hex')}`;
    this.secrets.push(text);
    return text;
  }

  intent(): { readonly intentId: string } {
    const intentId = randomUUID();
    this.secrets.push(intentId);
    return { intentId };
  }

  async person(...applications: readonly Application[]): Promise<readonly SignedIn[]> {
    const handle = this.secret('h');
    this.handles.push(handle);
    const { actorId } = await operatorOf(this.network).post('accounts', {
      handle,
      displayName: this.secret('Name'),
      email: `${this.secret('mail')}@example.org`,
      password,
    });
    this.secrets.push(actorId);
    const sessions: SignedIn[] = [];
    for (const application of applications)
      sessions.push(
        await signInRegistered(this.network, application, { actorId, handle }, allScopes.join(' ')),
      );
    return sessions;
  }

  async post(by: SignedIn, fields: object = {}, mention = ''): Promise<string> {
    const created = await by.post('/api/posts', {
      ...this.intent(),
      text: `Dear all, ${this.secret('text')} ${mention}`,
      audience: 'public',
      ...fields,
    });
    const { id } = expectSuccess(created).body.post as { readonly id: string };
    this.secrets.push(id);
    return id;
  }

  async decide(caseId: string): Promise<void> {
    const moderator = await newModerator(this.network);
    await until(async () => (await stateOf(moderator, caseId)) !== undefined);
    await moderator.client.post('cases/:id/claim', { id: caseId });
    await moderator.client.post('cases/:id/notes', { id: caseId, note: this.secret('note') });
    const notice = this.secret('notice');
    await moderator.client.post('cases/:id/decide', {
      id: caseId,
      outcome: 'violation',
      effects: [],
      notice,
      reason: this.secret('reason'),
    });
    this.secrets.push(caseId, moderator.operatorId);
  }

  /** A batch, an export of the audit, a backup, a look at the past, and a request that another operator refuses. */
  async administrate(actorId: string, copies: string): Promise<void> {
    const administrator = () => newModerator(this.network, 'administrator', this.secret('Admin'));
    const [ada, bob, { client: mia }, amy] = [
      await administrator(),
      await administrator(),
      await newModerator(this.network),
      await newModerator(this.network, 'auditor'),
    ];
    const batchId = await suspendAll(mia, [actorId], this.secret('reason'));
    await undoBatch(mia, batchId, this.secret('reason'));
    const { build } = await amy.client.post('as-of', { at: new Date().toISOString(), actor: actorId });
    await until(
      async () =>
        (await amy.client.get('as-of/:position', { position: build.position, actor: actorId })).view,
    );
    await amy.client.post('as-of/:position/texts', {
      position: build.position,
      actor: actorId,
      reason: this.secret('reason'),
    });
    await this.operate('export', 'audit', join(copies, 'audit'));
    await this.operate('backup', join(copies, 'backup'));
    await ada.client.post('four-eyes/on', { batchItems: 1, reason: this.secret('reason') });
    const { approvalId } = await awaited(
      ada.client.post('operators', { name: this.secret('Invited'), roles: ['administrator'], reason: 'x' }),
    );
    await bob.client.post('approvals/:id/refuse', { id: approvalId, reason: this.secret('reason') });
    const off = await awaited(ada.client.post('four-eyes/off', { reason: this.secret('reason') }));
    await bob.client.post('approvals/:id/approve', {
      id: off.approvalId,
      digest: off.digest,
      reason: this.secret('reason'),
    });
    await ada.client.post('approvals/:id/run', { id: off.approvalId });
    this.secrets.push(batchId, approvalId, off.approvalId, off.digest);
  }

  async operate(...args: readonly string[]): Promise<void> {
    const command = [...args, '--reason', this.secret('reason'), '--as', this.secret('operator')];
    const { code, stderr } = await runPlaza(command, this.network.env);
    if (code !== 0) throw new Error(stderr);
  }
}

export function expectSuccess(answer: Answer): Answer {
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

/**
 * Every kind of act by four people through two applications, of which an operator undoes some. `copies`: a new directory
 * for an export and a backup.
 */
export async function live(lively: LivelyNetwork, copies: string): Promise<void> {
  const { network } = lively;
  const pebble = await registerApplication(network, 'Pebble');
  const quill = await registerApplication(network, 'Quill\'s "best"');
  const [alice, aliceByQuill] = (await lively.person(pebble, quill)) as [SignedIn, SignedIn];
  const [bob] = (await lively.person(pebble)) as [SignedIn];
  const [carol] = (await lively.person(quill)) as [SignedIn];
  const [dave] = (await lively.person(pebble)) as [SignedIn];
  const first = await lively.post(alice, {}, `@${lively.handles[1]}`);
  const second = await lively.post(aliceByQuill);
  const reply = await lively.post(bob, { parentId: first });
  const removed = await lively.post(carol);
  const edit = { ...lively.intent(), revision: 1, text: `Better ${lively.secret('text')}` };
  expectSuccess(await alice.patch(`/api/posts/${first}`, edit));
  expectSuccess(await carol.delete(`/api/posts/${removed}?intentId=${lively.intent().intentId}&revision=1`));
  expectSuccess(await bob.put(`/api/relations/follow/${alice.actorId}`, lively.intent()));
  expectSuccess(await carol.put(`/api/relations/follow/${alice.actorId}`, lively.intent()));
  expectSuccess(await carol.put(`/api/relations/like/${first}`, lively.intent()));
  expectSuccess(await dave.put(`/api/blocks/${bob.actorId}`, lively.intent()));
  const profile = {
    ...lively.intent(),
    revision: 1,
    displayName: lively.secret('Name'),
    bio: lively.secret('bio'),
    website: `https://${lively.secret('site').replace('_', '-')}.example/`,
  };
  lively.secrets.push(profile.website);
  expectSuccess(await bob.patch('/api/profile', profile));
  const report = { ...lively.intent(), reason: 'spam', text: lively.secret('text'), postId: reply };
  expectSuccess(await carol.post('/api/reports', report));
  await lively.decide(`post-${reply}`);
  await lively.operate('post', 'restrict', reply);
  await lively.operate('account', 'suspend', dave.actorId);
  await lively.operate('app', 'revoke-grants', quill.clientId);
  expectSuccess(await alice.delete(`/api/posts/${second}?intentId=${lively.intent().intentId}&revision=1`));
  await lively.administrate(carol.actorId, copies);
}
