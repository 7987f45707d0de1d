/**
 * Parts that a restore can replace: those of a backup, and `read`, the read store. That one is not in a backup: it is
 * dropped and rebuilt from the log.
 */
export const restoreParts = ['log', 'read', 'authority', 'vault', 'witness'] as const;
export type RestorePart = (typeof restoreParts)[number];
