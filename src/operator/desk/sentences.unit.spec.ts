import { describe, expect, it } from '@jest/globals';
import { eventTypes, treatmentsOf } from '../../log/registry.js';
import { sentenceOf, verbOf, verbOfAct } from './sentences.js';
import type { Told } from './sentences.js';

const said = (type: string, subject: Told['subject'], by: Partial<Told> = {}): string => {
  const nobody = { actorId: null, appId: null, operatorId: null, operator: null, cause: null };
  return sentenceOf({ ...nobody, type, subject, ...by })
    .map((part) => (typeof part === 'string' ? part : `${part.noun} ${part.id}`))
    .join('');
};

const ada = { actorId: 'ada', appId: 'pebble' };
const grace = { operatorId: 'grace' };
const post = { postId: 'p1', authorActorId: 'ada' };

describe('the sentence of an event', () => {
  it('says who did what to whom, through which application, and for which case', () => {
    expect(said('post.created', post, ada)).toBe(
      'person ada published the post post p1, through application pebble',
    );
    expect(said('post.restricted', post, { ...grace, cause: 'plaza_case-post-p1' })).toBe(
      'operator grace restricted the post post p1 of person ada, for the case about case post-p1',
    );
    expect(said('post.restricted', post, { ...grace, cause: 'plaza_batch-b1' })).toBe(
      'operator grace restricted the post post p1 of person ada, in the batch batch b1',
    );
    expect(said('network.founded', { networkId: 'n' })).toBe('The network was founded');
  });

  it('tells a follow from a like, a reply from a post, and looks by their subject', () => {
    const follow = { actorId: 'ada', targetId: 'bob', targetActorId: 'bob' };
    expect(said('relation.established', follow, ada)).toContain('followed person bob,');
    expect(said('relation.ended', { ...follow, targetId: 'p1' }, ada)).toContain(
      'stopped liking the post post p1 of person bob,',
    );
    expect(said('post.created', { ...post, parentId: 'p0', parentAuthorActorId: 'bob' }, ada)).toContain(
      'replied with the post post p1 to the post post p0 of person bob,',
    );
    expect(said('look.recorded', { postId: 'p1' }, grace)).toBe('operator grace viewed the post post p1');
    expect(said('look.recorded', {}, grace)).toBe('operator grace viewed the whole audit');
  });

  it('does not name the doer twice', () => {
    const actorId = 'ada';
    expect(said('account.erasure_requested', { actorId }, ada)).toContain('person ada planned their erasure');
    expect(said('account.erasure_requested', { actorId }, grace)).toBe(
      'operator grace planned the erasure of person ada',
    );
    expect(said('account.registered', { actorId })).toBe('person ada registered their account');
    expect(said('operator.enrolled', grace)).toBe('operator grace used their invitation');
    expect(said('grant.issued', { ...ada, grantId: 'g' }, ada)).toBe(
      'person ada gave the application application pebble access to their account',
    );
  });

  it('tells an operator from a claimed name', () => {
    const suspended = (by: Partial<Told>) => said('account.suspended', { actorId: 'ada' }, by);
    expect(suspended({ operator: 'root' })).toBe(
      'claimed root (claimed) suspended the account of person ada',
    );
    expect(suspended({ ...grace, operator: 'root' })).toContain(
      'operator grace (says: claimed root) suspended',
    );
  });

  it('does not say who reported', () => {
    const report = { reporterActorId: 'eve', targetActorId: 'ada', appId: 'pebble', reportId: 'r' };
    expect(said('report.created', report, { actorId: 'eve', appId: 'pebble' })).toBe(
      'Somebody reported person ada, through application pebble',
    );
  });

  it('of a later release has its type', () => {
    expect(said('later.happened', { actorId: 'ada' }, grace)).toBe('operator grace later.happened');
    expect(verbOf('later.happened')).toBe('later.happened');
    expect(verbOf('toString')).toBe('toString');
  });

  it('has ids of fields of its event alone, and no word of the code', () => {
    for (const type of eventTypes) {
      const ids = Object.fromEntries(Object.keys(treatmentsOf(type)).map((field) => [field, 'ID']));
      for (const text of [said(type, ids), said(type, { ...ids, targetId: 'other' }), verbOf(type)])
        expect(text).not.toMatch(/[{}._]/);
    }
  });
});

it('the verb of an event stands alone', () => {
  expect(new Set(eventTypes.map(verbOf)).size).toBe(eventTypes.length);
  expect(['relation.established (like)', 'relation.ended (follow)', 'post.edited'].map(verbOfAct)).toEqual([
    'liked a post',
    'ended a follow',
    'edited the post',
  ]);
  expect(['post.restricted', 'case.opened', 'grant.issued', 'relation.ended'].map(verbOf)).toEqual([
    'restricted the post',
    'opened the case',
    'gave the application access to the account',
    'ended a follow or a like',
  ]);
});
