import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runPlaza } from '../support/command.js';
import { newDataDir } from '../support/data-dir.js';
import { startNetwork } from '../support/network.js';
import { describeOnTerminal, runOnTerminal } from '../support/terminal.js';
import type { TestNetwork } from '../support/network.js';

let network: TestNetwork;

beforeAll(async () => {
  network = await startNetwork({}, newDataDir());
});

afterAll(async () => {
  await network.stop();
});

const idsOf = (posts: { id: string }[]) => posts.map(({ id }) => id);

describe('on a running network', () => {
  it('the demo runs from registration to two people who read each other', async () => {
    const { code, stdout, stderr } = await runPlaza(['demo', '--json'], network.env);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const { clientId, actorId, session, ...told } = JSON.parse(stdout);
    expect(session).toMatchObject({ appId: clientId, actorId });
    const { post, follow, timeline, reply, inbox, replies, reconcile } = told;
    expect(follow.relation).toMatchObject({ kind: 'follow', targetId: actorId });
    expect(idsOf(timeline.posts)).toEqual([post.post.id]);
    expect(idsOf(replies.posts)).toEqual([reply.post.id]);
    expect(inbox).toMatchObject({
      inbox: [
        { kind: 'reply', sourceId: reply.post.id },
        { kind: 'follow', sourceActorId: follow.relation.actorId },
      ],
      unread: 2,
    });
    expect(idsOf(reconcile.ownPosts)).toEqual([post.post.id]);
  });

  it('the demo prints its steps and every answer in a pipe', async () => {
    const { code, stdout } = await runPlaza(['demo'], network.env);
    expect(code).toBe(0);
    const [steps = '', answers = ''] = stdout.split(/(?<=\n)(?=\{\n)/);
    expect(steps).toMatch(/^( *\d+\. .*\n)+$/);
    expect(steps).toContain('as Ben: GET /api/timeline → 200\n');
    expect(JSON.parse(answers)).toMatchObject({ timeline: { posts: [{ text: 'Hello from the demo' }] } });
  });

  it('the command line registers applications, creates accounts and prints status', async () => {
    const app = ['app', 'register', '--name', 'An app', '--redirect-uri', 'http://localhost:8911/callback'];
    const registered = await runPlaza([...app, '--scope', 'openid read', '--json'], network.env);
    expect(JSON.parse(registered.stdout)).toEqual({
      clientId: expect.any(String),
      clientSecret: expect.any(String),
    });

    const account = [
      'account',
      'create',
      '--display-name',
      'Ada',
      '--email',
      'ada@example.org',
      '--password-stdin',
      '--json',
    ];
    const create = () => runPlaza([...account, '--handle', 'ada'], network.env, 'correct horse battery\n');
    expect(JSON.parse((await create()).stdout)).toEqual({ actorId: expect.any(String) });
    const again = await create();
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr.trim().split('\n')).toHaveLength(1);

    const status = await runPlaza(['projections', 'status', '--json'], network.env);
    expect(JSON.parse(status.stdout).projections).not.toHaveLength(0);
  });
});

describeOnTerminal('on a terminal', () => {
  it('the demo tells a story without JSON, on one screen', async () => {
    const { code, lines } = await runOnTerminal(['demo'], network.env);
    expect(code).toBe(0);
    const story = lines.slice(0, lines.indexOf('')).map((line) => line.replace(/demo_\w+/, 'HANDLE'));
    expect(story).toEqual([
      ' 1. An operator registers the application “Plaza demo”.',
      ' 2. Ana, new here as @HANDLE, signs in and allows “Plaza demo” to read, post and follow.',
      ' 3. Ana posts: “Hello from the demo”.',
      ' 4. Ben, new here as @HANDLE, signs in and allows “Plaza demo” to read, post and follow.',
      ' 5. Ben follows Ana.',
      ' 6. Ben opens the timeline and finds: “Hello from the demo”.',
      ' 7. Ben replies: “And a reply to it”.',
      " 8. Ana's inbox has 2 unread entries: reply, follow.",
      ' 9. Ana opens the thread and reads: “And a reply to it”.',
    ]);
    expect(lines.join('\n')).not.toMatch(/[{}]/);
    expect(lines.join('\n')).toContain(`DATA_DIR='${network.env['DATA_DIR']}' npx plaza audit app:`);
    expect(lines.length).toBeLessThan(24);
  });

  it('the demo prints JSON on request', async () => {
    const { lines } = await runOnTerminal(['demo', '--json'], network.env);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toHaveProperty('clientId');
  });
});
