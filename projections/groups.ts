import { DEFAULT_FAN_OUT_THRESHOLD } from '../src/base/config/config.js';
import { auditGroup } from './audit/audit.projection.js';
import { authorityGroup } from './authority/authority.projection.js';
import { casesGroup } from './cases/cases.projection.js';
import { blocks } from './blocks/blocks.projection.js';
import { erasure } from './erasure/erasure.projection.js';
import { feed } from './feed/feed.projection.js';
import { inbox } from './inbox/inbox.projection.js';
import { intents } from './intents/intents.projection.js';
import { posts } from './posts/posts.projection.js';
import { profile } from './profile/profile.projection.js';
import { relations } from './relations/relations.projection.js';
import { restrictions } from './restrictions/restrictions.projection.js';
import type { Group } from './runner/projection.js';
import { timeline } from './timeline/timeline.projection.js';
import type { TimelineSettings } from './timeline/timeline.projection.js';

export interface ServingSettings extends TimelineSettings {
  /** Rows that a step of settling changes of each table: few, since the writers of the next batch wait for it. */
  readonly stepSize?: number;
}

/**
 * All read models that answer reads. They share one checkpoint, so that a snapshot of their tables is consistent. The
 * settings change costs, but neither versions nor answers.
 */
export const servingWith = ({ stepSize = 100, ...settings }: ServingSettings): Group => ({
  name: 'serving',
  // Many writers wait less in all if their events share batches. A lone one is alone in each, and never waits.
  lingerMs: 12,
  lingersAfter: 2,
  projections: [
    profile,
    posts,
    relations(stepSize),
    blocks,
    feed,
    intents,
    timeline(settings),
    inbox(stepSize),
    restrictions,
    erasure(stepSize),
  ],
});

export const serving = servingWith({ fanOutThreshold: DEFAULT_FAN_OUT_THRESHOLD });

export const groups: readonly Group[] = [serving, authorityGroup, auditGroup, casesGroup];
