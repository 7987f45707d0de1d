/** Each act of the table (src/operator/entrances/table.ts) names one permission. */
export const permissions = [
  'status.read',
  'applications.read',
  'applications.manage',
  'applications.restrict',
  'accounts.create',
  'accounts.restrict',
  'accounts.erase',
  'accounts.recover',
  'accounts.end_recovery',
  'posts.restrict',
  'batches.run',
  'cases.read',
  'cases.decide',
  'audit.read',
  'texts.disclose',
  'audit.export',
  'approvals.read',
  'approvals.decide',
  'four_eyes.manage',
  'analytics.disclose',
  'signing_keys.rotate',
  'publishing.manage',
  'registration.manage',
  'projections.rebuild',
  'recovery.run',
  'jobs.pause',
  'backups.take',
  'operators.read',
  'operators.invite',
  'operators.manage',
] as const;

export type Permission = (typeof permissions)[number];

export const roles = ['viewer', 'moderator', 'auditor', 'administrator'] as const;

export type Role = (typeof roles)[number];

/**
 * Roles are exact sets, not ranks: an administrator who moderates has both roles. An auditor reads everything and
 * changes nothing.
 */
export const permissionsOf: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: ['status.read'],
  moderator: [
    'status.read',
    'applications.read',
    'applications.restrict',
    'accounts.restrict',
    'accounts.end_recovery',
    'posts.restrict',
    'batches.run',
    'cases.read',
    'cases.decide',
    'audit.read',
    'texts.disclose',
    'approvals.read',
    'approvals.decide',
    'operators.read',
  ],
  auditor: [
    'status.read',
    'applications.read',
    'cases.read',
    'audit.read',
    'audit.export',
    'texts.disclose',
    'approvals.read',
    'analytics.disclose',
    'operators.read',
  ],
  administrator: [
    'status.read',
    'applications.read',
    'applications.manage',
    'applications.restrict',
    'accounts.create',
    'accounts.erase',
    'accounts.recover',
    'accounts.end_recovery',
    'cases.read',
    'audit.read',
    'approvals.read',
    'approvals.decide',
    'four_eyes.manage',
    'signing_keys.rotate',
    'publishing.manage',
    'registration.manage',
    'projections.rebuild',
    'recovery.run',
    'jobs.pause',
    'backups.take',
    'operators.read',
    'operators.invite',
    'operators.manage',
  ],
};

/** Recorded as `operatorId` of acts with the shared token. No operator has such an id: theirs are longer. */
export const SHARED_TOKEN = 'shared-token';

/** The emergency access that is left to the shared token once it is limited. */
export const limitedSharedToken: readonly Permission[] = [
  'status.read',
  'recovery.run',
  'jobs.pause',
  'backups.take',
  'operators.invite',
];

/** In the order of {@link roles}, each once. */
export const canonicalRoles = (chosen: readonly Role[]): readonly Role[] =>
  roles.filter((role) => chosen.includes(role));

export const addsPermission = (held: readonly Role[], chosen: readonly Role[]): boolean => {
  const known = new Set(held.flatMap((role) => permissionsOf[role]));
  return chosen.some((role) => permissionsOf[role].some((permission) => !known.has(permission)));
};
