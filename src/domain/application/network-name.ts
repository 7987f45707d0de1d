/** What the network calls itself on its pages. */
const NETWORK_NAME = 'plaza';

/** Characters that are drawn like a letter of the name (Unicode Technical Standard 39, the few that matter here). */
const drawnAlike: ReadonlyMap<string, string> = new Map(
  Object.entries({
    p: ['р', 'ρ', 'ϸ', 'ƿ', 'ᴘ'],
    l: ['i', 'ı', '1', '|', '!', 'ӏ', 'і', 'ι', 'ʟ', 'ǀ'],
    a: ['а', 'α', 'ɑ', 'ᴀ', '4', '@'],
    z: ['ᴢ', 'ʐ', 'ζ', '2'],
  }).flatMap(([letter, others]) => others.map((other) => [other, letter])),
);

/** Whether people could take an application of this name (up to 64 code points) for the network itself. */
export function passesForTheNetwork(name: string): boolean {
  const letters = Array.from(
    name.normalize('NFKD').toLowerCase(),
    (letter) => drawnAlike.get(letter) ?? letter,
  );
  return letters.join('').replaceAll(/[^\p{L}\p{N}]/gu, '') === NETWORK_NAME;
}
