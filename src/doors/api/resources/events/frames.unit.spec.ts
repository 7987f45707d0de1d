import { describe, expect, test } from '@jest/globals';
import type { FeedEvent } from '../../../../../projections/feed/feed-event.js';
import { framesOf } from './frames.js';

const deletionAt = (position: number, postId: string): FeedEvent => ({
  position,
  kind: 'post.deleted',
  at: 1,
  actorId: 'ada',
  postId,
});

describe('the messages of an event stream', () => {
  test('are empty if nothing happened', () => {
    expect(framesOf({ events: [], cursor: 9, replace: false })).toBe('');
  });

  test('have an id only with the last event of a position', () => {
    const events = [deletionAt(5, 'p1'), deletionAt(5, 'p2'), deletionAt(7, 'p3')];
    expect(framesOf({ events, cursor: 9, replace: false })).toBe(
      [
        `event: post.deleted\ndata: ${JSON.stringify(events[0])}\n\n`,
        `event: post.deleted\ndata: ${JSON.stringify(events[1])}\nid: 5\n\n`,
        `event: post.deleted\ndata: ${JSON.stringify(events[2])}\nid: 7\n\n`,
      ].join(''),
    );
  });

  test('ask to reconcile, and continue from there', () => {
    expect(framesOf({ events: [], cursor: 9, replace: true })).toBe(
      'event: replace\ndata: {"cursor":9}\nid: 9\n\n',
    );
  });
});
