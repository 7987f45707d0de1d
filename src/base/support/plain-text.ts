/**
 * Escapes untrusted text for a terminal as `\uXXXX`: control characters except line feed and tab, bidirectional
 * overrides and other format characters, separators, lone surrogates (Unicode categories C, Zl and Zp). A JSON text
 * still parses to the same value.
 */
export const plainText = (text: string): string => text.replaceAll(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, escaped);

/** The same, on one line: a text with line feeds cannot pass for lines of the output around it. */
export const plainLine = (text: string): string => plainText(text).replaceAll(/[\n\t]/g, escaped);

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
