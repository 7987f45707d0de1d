export interface Closable {
  close(): Promise<unknown>;
}

export async function closeAll(parts: Closable[]): Promise<void> {
  for (const part of parts.splice(0).toReversed()) await part.close();
}
