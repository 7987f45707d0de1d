import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { EventMetadata, Recorded } from '../../../log/recorded.js';
import type { EventOf, EventType, StoredEvent } from '../../../log/registry.js';
import { eventTypes } from '../../../log/registry.js';
import { fieldMeanings, INBOX_ENTRY, ownLineRules, titleOf, wordsOf } from './own-events.js';
import { factOf } from './own-facts.js';

const secret = { requestId: 'secret-request', clientRequestId: 'c', intentId: 'i', payloadHash: 'p' };

function of<Type extends EventType>(
  type: Type,
  data: EventOf<Type>['data'],
  metadata: Partial<EventMetadata> = {},
): Recorded {
  const event = { type, data } as StoredEvent;
  const place = { id: 'e', stream: 's', revision: 0n, position: 7n, erased: false };
  return { ...place, event, metadata: { ...secret, ...metadata } };
}

const factFor = (actorId: string, recorded: Recorded) => factOf(recorded, actorId);
const at = 1_000;
const follow = { kind: 'follow', generation: 1, at } as const;
const subject = { caseId: 'post-p1', postId: 'p1', targetActorId: 'ada' };
const byGrace = { operatorId: 'grace', reason: 'a reason', operator: 'Grace' };

describe('an event of a person', () => {
  it('has the fields of its rule and the application that acted, and nothing else', () => {
    const metadata = { actorId: 'ada', appId: 'pebble', grantId: 'g', addressClass: 'private' } as const;
    const post = { postId: 'p1', authorActorId: 'ada', appId: 'pebble', text: 'hello', mentions: ['bob'] };
    expect(factFor('ada', of('post.created', { ...post, audience: 'public', at }, metadata))).toEqual({
      at,
      type: 'post.created',
      position: 7,
      through: 'pebble',
      data: { postId: 'p1', text: 'hello', audience: 'public', mentions: ['bob'] },
    });
  });

  it('is theirs by who acted, and not by whose stream has it', () => {
    const mine = { ...follow, actorId: 'ada', targetId: 'bob', targetActorId: 'bob' };
    const foreign = { ...follow, actorId: 'bob', targetId: 'ada', targetActorId: 'ada' };
    const [byAda, byBob] = [{ actorId: 'ada' }, { actorId: 'bob' }];
    const told = [
      of('relation.established', mine, byAda),
      of('relation.established', foreign, byBob),
      of('block.established', { actorId: 'bob', targetActorId: 'ada', at }, byBob),
      // The block of the other ended the follow: the person must not learn of it.
      of('relation.ended', { ...mine, cause: 'block' }, byBob),
      // The other's follow, which the person's own block ended.
      of('relation.ended', { ...foreign, cause: 'block' }, byAda),
      of('block.established', { actorId: 'ada', targetActorId: 'bob', at }, byAda),
    ].map((recorded) => factFor('ada', recorded)?.type);
    const none = undefined;
    expect(told).toEqual(['relation.established', none, none, none, none, 'block.established']);
  });

  it('is no report about them, and no note, claim or look of operators', () => {
    const report = {
      reportId: 'r',
      reporterActorId: 'bob',
      appId: 'a',
      targetActorId: 'ada',
      text: 'he lies',
    };
    const byBob = { actorId: 'bob', appId: 'a' };
    const eventIds = ['e'];
    const told = [
      of('report.created', { ...report, reason: 'spam', at }, byBob),
      of('case.opened', { ...subject, reportId: 'r', at }),
      of('case.noted', { ...subject, note: 'a known liar', at }, byGrace),
      of('case.claimed', { ...subject, operatorId: 'grace', at }, byGrace),
      of('case.disclosed', { ...subject, operatorId: 'grace', eventIds, networkRevision: 1, at }, byGrace),
      of('look.recorded', { operatorId: 'grace', actorId: 'ada', at }, byGrace),
      of('text.disclosed', { operatorId: 'grace', eventId: 'e', actorId: 'ada', at }, byGrace),
    ].map((recorded) => factFor('ada', recorded));
    expect(told.filter(Boolean)).toEqual([]);
  });

  it('is a decision with its notice, unless no violation was found, without the operators', () => {
    const decision = {
      ...subject,
      decisionId: 'd',
      operatorId: 'grace',
      seenEventIds: ['e'],
      networkRevision: 1,
      at,
    };
    const violation = {
      ...decision,
      outcome: 'violation',
      effects: ['restrict_post'],
      notice: 'No.',
    } as const;
    const fact = factFor('ada', of('case.decided', violation, byGrace));
    expect(fact?.data).toEqual({
      decisionId: 'd',
      postId: 'p1',
      outcome: 'violation',
      effects: ['restrict_post'],
      notice: 'No.',
    });
    expect(JSON.stringify(fact)).not.toMatch(/grace|reason|secret/i);
    const none = { ...decision, outcome: 'no_violation', effects: [], notice: '' } as const;
    expect(factFor('ada', of('case.decided', none, byGrace))).toBeUndefined();
  });

  it('names no application of another, who acted on them', () => {
    const post = { postId: 'p1', authorActorId: 'ada', at };
    const fact = factFor('ada', of('post.restricted', post, { actorId: 'bob', appId: 'other' }));
    expect(fact).toMatchObject({ type: 'post.restricted', data: { postId: 'p1' } });
    expect(fact?.through).toBeUndefined();
  });
});

describe('the rules', () => {
  const rules = Object.entries(ownLineRules);

  it('have no field about operators, other people’s reports, requests or reasons', () => {
    const fields = rules.flatMap(([, rule]) => rule.fields);
    const never = /operator|note$|seen|network|caseId|request|intent|reporter|payload|keyId|digest/i;
    expect(fields.filter((field) => never.test(field))).toEqual([]);
  });

  it('are of types of the log, and each field has a meaning and each meaning a field', () => {
    const types = rules.map(([type]) => type).filter((type) => type !== INBOX_ENTRY);
    expect(types.filter((type) => !(eventTypes as readonly string[]).includes(type))).toEqual([]);
    expect(new Set(rules.flatMap(([, rule]) => rule.fields))).toEqual(new Set(Object.keys(fieldMeanings)));
  });

  it('say each event in words', () => {
    expect(wordsOf({ type: 'relation.ended', data: { kind: 'like' } })).toBe(
      'You stopped liking a post of {targetActorId}',
    );
    expect(wordsOf({ type: INBOX_ENTRY, data: { kind: 'reply' } })).toBe('{sourceActorId} replied to you');
    expect(wordsOf({ type: 'case.decided', data: { postId: 'p' } })).toContain('in a post of yours');
  });

  it('stand in docs/own-data.md', () => {
    const document = readFileSync(new URL('../../../../docs/own-data.md', import.meta.url), 'utf8');
    const cells = new Set(
      document.split('\n').map((line) =>
        line
          .split('|')
          .map((cell) => cell.trim())
          .join('|'),
      ),
    );
    const rows = [
      ...rules.map(([type, rule]) => {
        const fields = rule.fields.map((field) => `\`${field}\``).join(', ');
        return `|\`${type}\`|${titleOf(rule)}|${fields}|`;
      }),
      ...Object.entries(fieldMeanings).map(([field, meaning]) => `|\`${field}\`|${meaning}|`),
    ];
    expect(rows.filter((row) => !cells.has(row))).toEqual([]);
  });
});
