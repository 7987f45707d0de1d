import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { terminal } from './terminal.js';

export async function printLines(lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(lines), terminal().stdout, { end: false });
  } catch (error) {
    // The reader of the pipe has closed it, as `head` does after ten lines.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
}
