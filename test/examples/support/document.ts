/** Reads a document whose fenced blocks are commands, requests and their expected answers. */

/** A fenced block. `language`: the word after the fence. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** The heading above it. */
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

/** A request or answer in HTTP format. A line that begins with ? or & continues the one before. */
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

/** The values of placeholders such as `<CODE>` in this run: set, or taken from an answer. */
export class Names {
  private readonly values = new Map<string, string>();

  set(name: string, value: string): void {
    this.values.set(name, value);
  }

  /** @throws {Error} a placeholder without a value. */
  fill(text: string): string {
    return text.replaceAll(NAME, (_whole, name: string) => {
      const value = this.values.get(name);
      if (value === undefined) throw new Error(`nothing is known of <${name}>`);
      return value;
    });
  }

  /**
   * Returns `actual` if it matches the expected text, and then stores the values of new placeholders. Otherwise returns the
   * expected text.
   */
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

  /** Does the same for JSON. A varying number is written as a placeholder. */
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
