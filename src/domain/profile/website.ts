const MAX_CHARACTERS = 2_048;
/**
 * What the URL Standard mends or passes over is refused instead: spaces, line ends, backslashes for slashes, a missing
 * `//`. Others who read the address would take it for another one. Nor may invisible characters hide in it.
 */
const plainAddress = /^https?:\/\/[^\s\\\p{Cc}\p{Cf}\p{Cs}]+$/iu;

/** Empty, or an absolute http(s) URL of up to 2,048 characters that gives no credentials away (RFC 3986, section 3.2.1). */
export function isWebsite(text: string): boolean {
  if (text === '') return true;
  // Before anything reads it: of a code point there are two UTF-16 code units at the most.
  if (text.length > 2 * MAX_CHARACTERS) return false;
  if (Array.from(text).length > MAX_CHARACTERS || !plainAddress.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '';
}
