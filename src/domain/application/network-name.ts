const NETWORK_NAME = 'plaza';

/** Characters that look like the letters of the network's name (a subset of Unicode Technical Standard 39). */
const lookalikes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    p: ['р', 'ρ', 'ϸ', 'ƿ', 'ᴘ'],
    l: ['i', 'ı', '1', '|', '!', 'ӏ', 'і', 'ι', 'ʟ', 'ǀ'],
    a: ['а', 'α', 'ɑ', 'ᴀ', '4', '@'],
    z: ['ᴢ', 'ʐ', 'ζ', '2'],
  }).flatMap(([letter, others]) => others.map((other) => [other, letter])),
);

export function resemblesNetworkName(name: string): boolean {
  const letters = Array.from(
    name.normalize('NFKD').toLowerCase(),
    (letter) => lookalikes.get(letter) ?? letter,
  );
  return letters.join('').replaceAll(/[^\p{L}\p{N}]/gu, '') === NETWORK_NAME;
}
