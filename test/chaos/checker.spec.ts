import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Finding } from '../../chaos/checker/finding.js';
import { LogState } from '../../chaos/checker/log-state.js';
import { Sightings } from '../../chaos/checker/sightings.js';
import { checkViews } from '../../chaos/checker/views.js';
import type { View } from '../../chaos/checker/views.js';
import type { LogEvent, Operation, Read } from '../../chaos/history.js';
import { SmallHistory } from './support/small-history.js';

let history: SmallHistory;
let posted: Operation;
let deletion: Operation;
let follow: Operation;
let block: Operation;

beforeEach(() => {
  history = new SmallHistory();
  posted = history.post('ana', 'one');
  history.post('ben', 'two');
  deletion = history.delete('ana', 'one');
  follow = history.follow('ben', 'ana');
  block = history.block('ana', 'cleo');
});

const kinds = (findings: readonly Finding[]) => [...new Set(findings.map(({ kind }) => kind))];
const eventOf = ({ intentId }: Operation): LogEvent =>
  history.log.find((event) => event.intentId === intentId)!;
const without = (...events: LogEvent[]) => history.log.filter((event) => !events.includes(event));

describe('the checker of acknowledgments', () => {
  it('reports nothing for a log that has every acknowledged event', () => {
    expect(history.findings()).toEqual([]);
  });

  it('reports each acknowledged act that is missing from the log', () => {
    for (const operation of history.operations)
      expect(kinds(history.findings(without(eventOf(operation))))).toContain('lost');
  });

  it('reports a log that ends too early, as after lost disk writes', () => {
    const found = history.findings(history.log.slice(0, -2));
    expect(found.map(({ kind }) => kind)).toEqual(['lost', 'lost']);
  });

  it('reports an intent that was executed twice, and an event without a request', () => {
    const twin = { ...eventOf(posted), id: 'twin', stream: 'post-other', position: 9_000 };
    expect(kinds(history.findings([...history.log, twin]))).toEqual(['doubled']);
    const stray = { ...twin, intentId: 'nobody’s' };
    expect(kinds(history.findings([...history.log, stray]))).toEqual(['doubled']);
    expect(kinds(history.findings([...history.log, { ...eventOf(posted), position: 9_000 }]))).toContain(
      'doubled',
    );
  });

  it('reports an event after the deletion of a post', () => {
    const again = { ...eventOf(posted), id: 'again', revision: 2, position: 9_000 };
    expect(kinds(history.findings([...history.log, again]))).toContain('resurrected');
  });

  it('reports two acts of one actor in swapped order', () => {
    const [first, second] = [eventOf(deletion), eventOf(block)];
    const log = history.log.map((event) => {
      if (event === first) return { ...second, position: first.position };
      return event === second ? { ...first, position: second.position } : event;
    });
    expect(kinds(history.findings(log))).toContain('out of order');
  });

  it('reports positions that do not ascend, and a gap in a stream', () => {
    expect(kinds(history.findings(history.log.toReversed()))).toContain('out of order');
    const gap = history.log.map((event) => (event === eventOf(deletion) ? { ...event, revision: 2 } : event));
    expect(kinds(history.findings(gap))).toEqual(['lost']);
  });

  it('reports a repeated intent with a different answer', () => {
    follow.repeated.push(follow.outcome);
    expect(history.findings()).toEqual([]);
    follow.repeated.push({ is: 'acknowledged', revision: 1, body: { relation: { generation: '2' } } });
    posted.repeated.push({ is: 'refused', status: 409, code: 'intent_conflict' });
    expect(history.findings().map(({ kind }) => kind)).toEqual(['wrong', 'wrong']);
  });

  it('reports a refusal of an executed act, and an unjustified one', () => {
    follow.outcome = { is: 'refused', status: 403, code: 'interaction_unavailable' };
    expect(kinds(history.findings())).toEqual(['wrong']);
    expect(kinds(history.findings(without(eventOf(follow))))).toEqual(['wrong']);
  });

  it('accepts acts without effect, and acts with an unknown outcome', () => {
    const again = { blocked: true };
    history.addOperation('ana', { kind: 'block', actorId: 'cleo' }, again);
    history.addOperation('ana', { kind: 'unfollow', actorId: 'ben' }, {});
    const open = history.addOperation('ben', { kind: 'post', text: 'x' }, {});
    open.outcome = { is: 'open' };
    expect(history.findings()).toEqual([]);
    history.addOperation('ana', { kind: 'unblock', actorId: 'cleo' }, { blocked: false });
    expect(kinds(history.findings())).toEqual(['lost']);
  });

  it('accepts a refusal while a block was active', () => {
    const refused = history.addOperation('cleo', { kind: 'follow', actorId: 'ana' }, {});
    refused.outcome = { is: 'refused', status: 403, code: 'interaction_unavailable' };
    expect(history.findings()).toEqual([]);
  });
});

describe('the checker of reads', () => {
  let sightings: Sightings;

  beforeEach(() => {
    sightings = new Sightings();
    for (const operation of history.operations) {
      sightings.sent(operation);
      sightings.answered(operation);
    }
  });

  const read = (fields: Partial<Read>): Finding[] => {
    const before = sightings.findings.length;
    const shown = [{ postId: 'one', actorId: 'ana' }];
    sightings.read({
      actorId: 'ana',
      path: '/',
      sentAt: 1_000,
      answeredAt: 1_001,
      revision: 0,
      shown,
      ...fields,
    });
    return sightings.findings.slice(before);
  };
  const acknowledged = ({ outcome }: Operation) => (outcome.is === 'acknowledged' ? outcome.revision : 0);

  it('reports a deleted post that its author sees after the acknowledgment', () => {
    expect(read({ sentAt: deletion.answeredAt! - 1 })).toEqual([]);
    expect(kinds(read({}))).toEqual(['resurrected']);
  });

  it('reports a deleted post that others see after the acknowledgment, however old their answer is', () => {
    for (const actorId of ['ben', undefined]) {
      expect(read({ actorId, sentAt: deletion.answeredAt! - 1 })).toEqual([]);
      expect(kinds(read({ actorId, revision: acknowledged(deletion) - 1 }))).toEqual(['shown']);
    }
  });

  it('reports a deleted post that returns after an answer as new as the deletion', () => {
    const revision = acknowledged(deletion);
    for (const actorId of ['ben', undefined])
      expect(kinds(read({ actorId, revision }))).toEqual(['resurrected']);
    expect(kinds(read({ actorId: 'ben', revision: 0 }))).toEqual(['resurrected']);
  });

  it('reports posts across a block, in both directions, until an unblock is sent', () => {
    const shown = [{ postId: 'three', actorId: 'cleo' }];
    expect(kinds(read({ shown }))).toEqual(['resurrected']);
    const other = { actorId: 'cleo', shown: [{ postId: 'two', actorId: 'ana' }] };
    expect(read({ ...other, sentAt: block.answeredAt! - 1 })).toEqual([]);
    expect(kinds(read({ ...other, revision: acknowledged(block) - 1 }))).toEqual(['shown']);
    expect(kinds(read({ ...other, revision: acknowledged(block) }))).toEqual(['resurrected']);
    sightings.sent(history.addOperation('ana', { kind: 'unblock', actorId: 'cleo' }, { blocked: false }));
    for (const each of [{ shown }, other]) expect(read(each)).toEqual([]);
  });

  it('reports an answer that is older than the previous one', () => {
    expect(read({ actorId: 'ben', revision: 50, shown: [] })).toEqual([]);
    expect(kinds(read({ actorId: 'ben', revision: 49, shown: [] }))).toEqual(['out of order']);
  });
});

describe('the checker of the final reads', () => {
  const two = { id: 'two', text: 'x', revision: 1 };
  const counts = { posts: 0, followers: 0, following: 0 };
  const whole: View = {
    actorId: 'ben',
    actors: {
      ana: { posts: [], counts: { ...counts, followers: 1 } },
      ben: { posts: [two], counts: { ...counts, posts: 1, following: 1 } },
    },
    timeline: [two],
    blocks: [],
    relations: [{ kind: 'follow', targetId: 'ana', generation: '1' }],
    single: { one: undefined, two },
    kept: ['intent-1', 'intent-3'],
  };
  const check = (altered: Partial<View>) => {
    const kept = new Set(history.log.map(({ actorId, intentId }) => `${actorId} ${intentId}`));
    return checkViews([{ ...whole, ...altered }], new LogState(history.log), history.operations, kept);
  };
  const one = { id: 'one', text: 'x', revision: 1 };

  it('reports nothing where the log and the reads agree', () => {
    expect(check({})).toEqual([]);
  });

  it.each<[string, Partial<View>]>([
    ['resurrected', { timeline: [two, one] }],
    ['resurrected', { single: { one } }],
    ['resurrected', { blocks: ['ana'] }],
    ['resurrected', { kept: ['intent-1', 'intent-3', 'intent-0'] }],
    ['lost', { timeline: [] }],
    ['lost', { single: { two: undefined } }],
    ['lost', { relations: [] }],
    ['lost', { actors: { ben: undefined } }],
    ['lost', { kept: [] }],
    ['doubled', { timeline: [two, two] }],
    ['wrong', { timeline: [{ ...two, text: 'another' }] }],
    ['wrong', { timeline: [{ ...two, revision: 2 }] }],
    ['wrong', { timeline: [{ ...two, parentUnavailable: true }] }],
    ['wrong', { actors: { ...whole.actors, ana: { posts: [], counts } } }],
  ])('reports %s for %j', (kind, altered) => {
    expect(kinds(check(altered))).toContain(kind);
  });
});
