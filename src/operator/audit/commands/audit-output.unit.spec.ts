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
    expect(first).toBe(`${localMoment(at)}  ada  post.created  post p1  Pebble: “hello”`);
  });

  it('has the id of an application without a name', () => {
    expect(row({})).toEqual(['ada', 'post.created', 'post p1', 'app1']);
  });

  it('names the identified operator, and beside it the claimed name as what it is', () => {
    const act = { actorId: null, appId: null, operator: 'ana', reason: 'a flood', type: 'account.suspended' };
    const subject = { actorId: 'bob' };
    expect(row({ ...act, subject })).toEqual(['ana (claimed)', 'account.suspended', 'actor bob', 'a flood']);
    expect(row({ ...act, subject, operatorId: 'op1' })?.[0]).toBe('operator op1, says: ana');
    expect(row({ ...act, subject, operatorId: 'op1' }, { op1: 'Grace' })?.[0]).toBe(
      'operator Grace, says: ana',
    );
    expect(row({ ...act, subject, operatorId: 'op1', operator: null })?.[0]).toBe('operator op1');
    expect(row({ ...act, subject, operatorId: 'shared-token' })?.[0]).toBe('shared token, says: ana');
    const disclosed = { operatorId: 'op1', eventId: 'e1', actorId: 'bob' };
    expect(row({ ...act, subject: disclosed, operatorId: 'op1' })?.[2]).toBe('event e1');
  });

  it('names the network where nobody acted', () => {
    expect(row({ actorId: null, appId: null, type: 'network.founded', subject: { networkId: 'n' } })).toEqual(
      ['network', 'network.founded', 'network n'],
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
    const [, , liked] = auditTable(
      [entry({ text: 'hello world' }), entry({ type: 'relation.established' })],
      {},
      names,
    );
    const cells = (line = '') => line.split(/ {2,}/).slice(1);
    expect(cells(auditTable([entry({ text: 'hello world' })], {}, names)[1]).slice(0, 3)).toEqual([
      'Ada Lovelace @ada (ada)',
      'post.created',
      'post p1',
    ]);
    expect(cells(liked)[2]).toBe('post “hello world” (p1)');
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
