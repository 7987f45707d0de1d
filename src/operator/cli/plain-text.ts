/**
 * What other people wrote, for a terminal: whatever steers it or hides how a line goes on (control characters of C0 and C1 but line
 * feed and tab, bidirectional overrides and other format characters, separators, lone surrogates; Unicode's categories
 * C, Zl and Zp) as `\uXXXX`. JSON stays the same JSON.
 */
export const plainText = (text: string): string => text.replaceAll(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, escaped);

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
