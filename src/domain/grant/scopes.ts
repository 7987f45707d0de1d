export const scopeDescriptions = {
  openid: 'Know who you are',
  offline_access: 'Stay connected for up to 30 days without asking you again',
  read: 'Read your profile, your timeline and your notifications, and whom you follow and what you like',
  'post:create': 'Write posts and replies in your name',
  'post:edit': 'Edit your posts',
  'post:delete': 'Delete your posts',
  'relation:write': 'Follow people and like posts in your name',
  'block:read': 'See whom you have blocked',
  'block:write': 'Block and unblock people for you',
  'inbox:write': 'Mark your notifications as read',
  'profile:write': 'Change your profile',
  'report:create': 'Report posts and people in your name',
} as const;

export type Scope = keyof typeof scopeDescriptions;

export const allScopes = Object.keys(scopeDescriptions) as Scope[];

export function isScope(name: string): name is Scope {
  return Object.hasOwn(scopeDescriptions, name);
}

/** Sorted without duplicates: equal sets of scopes are equal lists. */
export function canonicalScopes(scopes: Iterable<string>): readonly string[] {
  return [...new Set(scopes)].sort();
}
