export interface Closable {
  close(): Promise<unknown>;
}

/** Closes all parts, the newest first, and removes them from the list. */
export async function closeAll(parts: Closable[]): Promise<void> {
  for (const part of parts.splice(0).toReversed()) await part.close();
}
