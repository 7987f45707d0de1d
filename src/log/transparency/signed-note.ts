import { createHash } from 'node:crypto';

/** Signed notes (C2SP signed-note): a text, an empty line, and one line for each signature. */

const ED25519 = 0x01;

/** `name`: as its notes carry it; not empty, without spaces and `+`. `publicKey`: 32 bytes. */
export interface NoteKey {
  readonly name: string;
  readonly publicKey: Uint8Array;
}

export interface NoteSigner extends NoteKey {
  readonly sign: (text: Uint8Array) => Uint8Array;
}

/** `<name>+<hash>+<base64 of type and key>`: the form in which a verifier takes the key. @throws {TypeError} the name */
export function verifierKey(key: NoteKey): string {
  return [checkedName(key), keyHash(key).toString('hex'), typedKey(key).toString('base64')].join('+');
}

/**
 * Returns the note of a text with a signature of each signer.
 * @throws {TypeError} the text or a name cannot be in a note.
 */
export function signNote(text: string, signers: readonly NoteSigner[]): string {
  if (!text.endsWith('\n') || !text.isWellFormed() || hasControlCharacter(text))
    throw new TypeError('the text of a note must end with a newline and have no other control character');
  const bytes = Buffer.from(text);
  const signatures = signers.map((signer) => {
    const signature = Buffer.concat([keyHash(signer), signer.sign(bytes)]).toString('base64');
    return `\u2014 ${checkedName(signer)} ${signature}\n`;
  });
  return `${text}\n${signatures.join('')}`;
}

/** Returns the text of a note, without a check of its signatures. Undefined: it is no note. */
export function noteText(note: string): string | undefined {
  const end = note.lastIndexOf('\n\n');
  return end === -1 ? undefined : note.slice(0, end + 1);
}

const typedKey = ({ publicKey }: NoteKey): Buffer => Buffer.concat([Buffer.of(ED25519), publicKey]);

const keyHash = (key: NoteKey): Buffer =>
  createHash('sha256').update(`${key.name}\n`).update(typedKey(key)).digest().subarray(0, 4);

function checkedName({ name }: NoteKey): string {
  if (name === '' || /[\s+]/u.test(name) || !name.isWellFormed() || hasControlCharacter(name))
    throw new TypeError('the name of a key must not be empty, and have no space and no +');
  return name;
}

// oxlint-disable-next-line no-control-regex
const hasControlCharacter = (text: string): boolean => /[\u0000-\u0009\u000B-\u001F]/.test(text);
