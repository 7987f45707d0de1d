import { openViews } from './open-views.js';
import { replaceFile } from './replace-file.js';

/** Writes the rows of one SELECT. @throws {Failure}; as of {@link replaceFile}. */
export const writeParquet = (dir: string, sql: string, file: string, memory?: number): Promise<void> =>
  replaceFile(dir, file, async (temporary) => {
    const views = await openViews(dir, { writable: temporary, memory });
    await views.writeParquet(sql, temporary).finally(() => views.close());
  });
