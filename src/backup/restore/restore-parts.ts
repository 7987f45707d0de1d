/** What can be restored by itself: the parts of a backup, and the read store, which is dropped to be built anew. */
export const restoreParts = ['log', 'read', 'authority', 'vault', 'witness'] as const;
export type RestorePart = (typeof restoreParts)[number];
