const MAX_CHARACTERS = 2_048;
/**
 * Refuses input that the URL Standard repairs (spaces, line ends, backslashes, a missing `//`), because other software
 * would read another address. Refuses invisible characters, too.
 */
const plainAddress = /^https?:\/\/[^\s\\\p{Cc}\p{Cf}\p{Cs}]+$/iu;

/**
 * True for an empty text or an absolute http(s) URL of up to 2,048 characters without credentials (RFC 3986, section
 * 3.2.1).
 */
export function isWebsite(text: string): boolean {
  if (text === '') return true;
  if (text.length > 2 * MAX_CHARACTERS) return false;
  if (Array.from(text).length > MAX_CHARACTERS || !plainAddress.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '';
}
