/** A document that can be run: its fenced blocks are commands, requests, and what these must answer. */

/** One fenced block. `language`: what follows the fence. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** The heading it stands under. */
  readonly heading: string;
}

export function blocksOf(markdown: string): Block[] {
  let heading = '';
  const blocks: Block[] = [];
  for (const [, title, language = '', text = ''] of markdown.matchAll(
    /^#+ ([^\n]+)$|^```(\w+)\n(.*?)^```$/gms,
  ))
    if (title === undefined) blocks.push({ language, text: text.trimEnd(), heading });
    else heading = title;
  return blocks;
}

/** A request or an answer as HTTP writes it. Long queries and forms are folded: a line that begins with ? or & goes on. */
export interface Message {
  readonly start: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function messageOf(block: string): Message {
  const [head = '', body = ''] = block.replaceAll(/\n\s*([?&])/g, '$1').split(/\n\n(.*)/s);
  const [start = '', ...lines] = head.split('\n');
  const headers = lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
  return { start, headers: Object.fromEntries(headers), body };
}

/** What the names in angle brackets stand for in this run: `<CODE>` is filled in, or learnt from an answer. */
export class Names {
  private readonly values = new Map<string, string>();

  set(name: string, value: string): void {
    this.values.set(name, value);
  }

  /** @throws {Error} the document uses a name before it says what it is. */
  fill(text: string): string {
    return text.replaceAll(NAME, (_whole, name: string) => {
      const value = this.values.get(name);
      if (value === undefined) throw new Error(`nothing is known of <${name}>`);
      return value;
    });
  }

  /** What the document's text means for this actual one: the actual itself, if that agrees, and new names are learnt. */
  read(expected: string, actual: string): string {
    const names: string[] = [];
    const pattern = expected
      .split(/(<[A-Z_]+>)/)
      .map((part) => {
        const name = /^<([A-Z_]+)>$/.exec(part)?.[1];
        if (name === undefined) return literally(part);
        const known = this.values.get(name);
        if (known !== undefined) return literally(known);
        names.push(name);
        return '([^&"\\s]+)';
      })
      .join('');
    const found = new RegExp(`^${pattern}$`).exec(actual);
    if (!found) return expected;
    names.forEach((name, at) => this.set(name, found[at + 1] ?? ''));
    return actual;
  }

  /** The same for JSON: what `actual` should be, which it is if it agrees. A number that varies stands there as a name. */
  readJson(expected: string, actual: unknown): unknown {
    return this.readValue(JSON.parse(expected.replaceAll(/: (<[A-Z_]+>)/g, ': "$1"')), actual);
  }

  private readValue(expected: unknown, actual: unknown): unknown {
    if (typeof expected === 'string' && (typeof actual === 'string' || typeof actual === 'number')) {
      const read = this.read(expected, String(actual));
      return read === String(actual) ? actual : read;
    }
    if (typeof expected !== 'object' || expected === null) return expected;
    const inside = (actual ?? {}) as Record<string, unknown>;
    const entries = Object.entries(expected).map(([key, value]) => [key, this.readValue(value, inside[key])]);
    return Array.isArray(expected) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
  }
}

const NAME = /<([A-Z_]+)>/g;

const literally = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
