/** The parts of a backup, and `read`: the read store, which a restore drops for a rebuild. */
export const restoreParts = ['log', 'read', 'authority', 'vault', 'witness'] as const;
export type RestorePart = (typeof restoreParts)[number];
