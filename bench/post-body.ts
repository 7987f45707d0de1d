import { randomUUID } from 'node:crypto';

const text = 'A post of a benchmark, about as long as what a person writes without thinking twice.';

/** The body of a new post or reply. */
export const postBody = (parentId?: string): string =>
  JSON.stringify({ intentId: randomUUID(), text, audience: 'public', parentId });
