import { describe, expect, it } from '@jest/globals';
import type { AuditEntry } from '../entry.js';
import { auditTable, csvHead, csvOf } from './audit-output.js';
import { idsAlone, namesInLines } from '../../client/names-in-lines.js';
import { localMoment } from '../../../base/terminal/output.js';

const at = Date.UTC(2026, 0, 31, 9, 30);

const entry = (more: Partial<AuditEntry>): AuditEntry => ({
  position: 7,
  revision: 0,
  eventId: '00000000-0000-4000-8000-000000000000',
  at,
  type: 'post.created',
  stream: 'post-p1',
  subject: { postId: 'p1', authorActorId: 'ada', appId: 'app1' },
  actorId: 'ada',
  appId: 'app1',
  grantId: null,
  intentId: null,
  requestId: 'r',
  clientRequestId: null,
  addressClass: null,
  operatorId: null,
  operator: null,
  reason: null,
  cause: null,
  ...more,
});

const row = (more: Partial<AuditEntry>, names = {}) =>
  auditTable([entry(more)], names, idsAlone)[1]
    ?.split(/ {2,}/)
    .slice(1);

describe('the table of the audit', () => {
  it('has the local time, who, what, about, and through which application', () => {
    const [head, first] = auditTable([entry({ text: 'hello' })], { app1: 'Pebble' }, idsAlone);
    expect(head).toMatch(/^TIME +WHO +WHAT +ABOUT +THROUGH, WHY$/);
    expect(first).toBe(`${localMoment(at)}  ada  published the post  post p1  Pebble: “hello”`);
  });

  it('has the id of an application without a name', () => {
    expect(row({})).toEqual(['ada', 'published the post', 'post p1', 'app1']);
  });

  it('names the identified operator, and beside it the claimed name as what it is', () => {
    const act = { actorId: null, appId: null, operator: 'ana', reason: 'a flood', type: 'account.suspended' };
    const subject = { actorId: 'bob' };
    expect(row({ ...act, subject })).toEqual([
      'ana (claimed)',
      'suspended the account',
      'actor bob',
      'a flood',
    ]);
    expect(row({ ...act, subject, operatorId: 'op1' })?.[0]).toBe('operator op1, says: ana');
    expect(row({ ...act, subject, operatorId: 'op1' }, { op1: 'Grace' })?.[0]).toBe(
      'operator Grace, says: ana',
    );
    expect(row({ ...act, subject, operatorId: 'op1', operator: null })?.[0]).toBe('operator op1');
    expect(row({ ...act, subject, operatorId: 'shared-token' })?.[0]).toBe('shared token, says: ana');
    const exported = { ...act, type: 'audit.exported', operatorId: 'op1', subject: { exportId: 'e1' } };
    expect(row(exported)?.slice(1, 3)).toEqual(['exported the audit', 'export e1']);
  });

  it('names the network where nobody acted', () => {
    expect(row({ actorId: null, appId: null, type: 'network.founded', subject: { networkId: 'n' } })).toEqual(
      ['network', 'was founded', 'network n'],
    );
  });

  it('shortens a text to one line, and marks an erased one', () => {
    expect(row({ text: `a\n${'b'.repeat(200)}` })?.[3]).toBe(`app1: “a ${'b'.repeat(78)}…”`);
    expect(row({ erased: true })?.[3]).toBe('app1: (erased)');
  });

  it('names people and posts beside their ids, and a post by its words where the row has none', () => {
    const names = namesInLines({
      actors: { ada: { name: 'Ada Lovelace', handle: 'ada', isErased: false } },
      applications: {},
      operators: {},
      posts: { p1: 'hello world' },
    });
    const cells = (more: Partial<AuditEntry>) =>
      auditTable([entry(more)], {}, names)[1]
        ?.split(/ {2,}/)
        .slice(1, 4);
    const type = 'relation.established';
    expect(cells({ text: 'hello world' })).toEqual([
      'Ada Lovelace @ada (ada)',
      'published the post',
      'post p1',
    ]);
    expect(cells({ type, subject: { targetId: 'p1', targetActorId: 'ada' } })).toEqual([
      'Ada Lovelace @ada (ada)',
      'liked the post',
      'post “hello world” (p1)',
    ]);
    expect(cells({ type, actorId: 'bob', subject: { targetId: 'ada', targetActorId: 'ada' } })).toEqual([
      'bob',
      'followed',
      'actor Ada Lovelace @ada (ada)',
    ]);
    const decided = { type: 'case.decided', subject: { caseId: 'post-p1' }, operatorId: 'op1' };
    expect(cells(decided)?.[2]).toBe('case “hello world” (post-p1)');
    expect(row(decided)?.[2]).toBe('case post-p1');
  });

  it('does not say who reported', () => {
    const subject = { reportId: 'r1', reporterActorId: 'ada', postId: 'p1' };
    expect(row({ type: 'report.created', subject })).toEqual([
      'somebody',
      'reported the post',
      'post p1',
      'app1',
    ]);
  });

  it('says how a text that is not public is disclosed', () => {
    const { eventId } = entry({});
    expect(row({ undisclosed: true })?.[3]).toBe(`app1: (not public: plaza disclose ${eventId})`);
  });
});

describe('the CSV of the audit', () => {
  it('has a heading for each cell', () => {
    const cells = csvOf(entry({ subject: {} })).split(',');
    expect(csvHead().split(',')).toHaveLength(cells.length);
    expect(cells.slice(0, 3)).toEqual(['2026-01-31T09:30:00.000Z', 'post.created', 'ada']);
  });

  it('escapes control characters, and lets no text begin a formula', () => {
    const line = csvOf(entry({ text: '=\u202ehello', reason: '+1' }));
    expect(line).toContain(String.raw`,'+1,,'=\u202ehello,`);
    expect(line.endsWith('\r\n')).toBe(true);
  });
});
