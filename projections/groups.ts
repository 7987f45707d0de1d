import { auditGroup } from './audit/audit.projection.js';
import { authorityGroup } from './authority/authority.projection.js';
import { blocks } from './blocks/blocks.projection.js';
import { feed } from './feed/feed.projection.js';
import { intents } from './intents/intents.projection.js';
import { posts } from './posts/posts.projection.js';
import { profile } from './profile/profile.projection.js';
import { relations } from './relations/relations.projection.js';
import type { Group } from './runner/projection.js';

/** Every read model that answers reads. One position for all, so that a snapshot of any of their tables is consistent. */
export const serving: Group = {
  name: 'serving',
  projections: [profile, posts, relations, blocks, feed, intents],
};

/** Everything that workers keep up to date. */
export const groups: readonly Group[] = [serving, authorityGroup, auditGroup];
