import { buffer } from 'node:stream/consumers';
import { Failure } from './failure.js';
import { terminal } from './terminal.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * All of standard input.
 * @param subject names it in the message.
 * @throws {Failure} it is no UTF-8.
 */
export async function typedText(subject: string): Promise<string> {
  const bytes = await buffer(terminal().stdin);
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Failure(`${subject} on standard input is not in UTF-8; nothing changed`, { cause });
  }
}
