const CONTROLS = /[\u202A-\u202E\u2066-\u2069]/;
const [POP_FORMAT, POP_ISOLATE] = ['\u202C', '\u2069'];

/**
 * The text with every embedding, override and isolate closed that it opens, and without an end of an isolate that it did not open
 * (Unicode, UAX 9). Otherwise it would end, or keep open, the element around it, and reorder what follows in the line.
 */
export function closedBidi(text: string): string {
  if (!CONTROLS.test(text)) return text;
  const open: string[] = [];
  let closed = '';
  for (const character of text) {
    if (character === POP_ISOLATE) {
      // It also closes the embeddings within its isolate.
      const at = open.lastIndexOf(POP_ISOLATE);
      if (at < 0) continue;
      open.length = at;
    } else if (character === POP_FORMAT) {
      if (open.at(-1) === POP_FORMAT) open.pop();
    } else if (/[\u2066-\u2068]/.test(character)) open.push(POP_ISOLATE);
    else if (CONTROLS.test(character)) open.push(POP_FORMAT);
    closed += character;
  }
  return closed + open.toReversed().join('');
}
