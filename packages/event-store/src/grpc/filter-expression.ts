/**
 * Filter expressions are .NET regular expressions. They are translated to JavaScript's or refused, never
 * reinterpreted.
 * https://learn.microsoft.com/dotnet/standard/base-types/regular-expression-language-quick-reference
 *
 * Two differences remain. A character beyond U+FFFF counts once here and twice in .NET; and when case is ignored, `s`
 * also matches U+017F here.
 */

export class UnsupportedExpressionError extends Error {
  override readonly name = 'UnsupportedExpressionError';
}

const MAX_LENGTH = 4096;
/** Most levels of nested groups and classes. With more, translating or matching would overflow the stack. */
const MAX_DEPTH = 100;

const START = '(?<![\\s\\S])';
const END = '(?![\\s\\S])';
const END_OR_LAST_NEWLINE = `(?=\\n?${END})`;
const WORD = '[\\p{L}\\p{Mn}\\p{Nd}\\p{Pc}]';
/** Word characters at a word boundary: in .NET, joiners (U+200C, U+200D) count as such only there. */
const BOUNDARY_WORD = '[\\p{L}\\p{Mn}\\p{Nd}\\p{Pc}\\u200c\\u200d]';
const SPACE = '[\\f\\n\\r\\t\\v\\x85\\p{Z}]';
const ESCAPED_CLASSES: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  w: WORD,
  W: `[^${WORD.slice(1)}`,
  s: SPACE,
  S: `[^${SPACE.slice(1)}`,
};
const ESCAPED_ANCHORS: Readonly<Record<string, string>> = {
  A: START,
  G: START,
  z: END,
  Z: END_OR_LAST_NEWLINE,
  b: `(?:(?<=${BOUNDARY_WORD})(?!${BOUNDARY_WORD})|(?<!${BOUNDARY_WORD})(?=${BOUNDARY_WORD}))`,
  B: `(?:(?<=${BOUNDARY_WORD})(?=${BOUNDARY_WORD})|(?<!${BOUNDARY_WORD})(?!${BOUNDARY_WORD}))`,
};
const ESCAPED_CHARACTERS: Readonly<Record<string, number>> = {
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  a: 7,
  e: 27,
};
const GENERAL_CATEGORY = /^(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfon]?)$/;

interface Options {
  ignoreCase: boolean;
  multiline: boolean;
  singleline: boolean;
}

export function translateExpression(pattern: string): RegExp {
  if (pattern.length > MAX_LENGTH)
    throw new UnsupportedExpressionError(
      `the regular expression of the filter is longer than ${MAX_LENGTH} characters`,
    );
  const source = new Translation(pattern).translate();
  try {
    return new RegExp(source, 'v');
  } catch (error) {
    const reason = (error as Error).message.split(': ').at(-1);
    throw new UnsupportedExpressionError(`the regular expression of the filter is invalid: ${reason}`, {
      cause: error,
    });
  }
}

class Translation {
  #at = 0;
  #depth = 0;

  constructor(private readonly pattern: string) {}

  translate(): string {
    const source = this.#upToEndOfGroup({ ignoreCase: false, multiline: false, singleline: false });
    if (this.#at < this.pattern.length) throw unsupported('a closing parenthesis without an opening one');
    return source;
  }

  #upToEndOfGroup(options: Options): string {
    let source = '';
    while (this.#at < this.pattern.length && !this.#startsWith(')')) {
      source += this.#take('|') ? '|' : this.#element(options);
    }
    return source;
  }

  #element(options: Options): string {
    const { multiline, singleline, ignoreCase } = options;
    if (this.#take('(')) return this.#group(options);
    if (this.#take('^')) return multiline ? '(?<![^\\n])' : START;
    if (this.#take('$')) return multiline ? '(?![^\\n])' : END_OR_LAST_NEWLINE;
    if (this.#take('.')) return singleline ? '[\\s\\S]' : '[^\\n]';
    const quantifier = this.#quantifier();
    if (quantifier !== undefined) return quantifier;
    const atom = this.#take('[') ? this.#class() : this.#take('\\') ? this.#escape() : literal(this.#next());
    return ignoreCase ? `(?i:${atom})` : atom;
  }

  #quantifier(): string | undefined {
    return this.#takeMatch(/[*+?]|\{\d+(?:,\d*)?\}/y)?.[0];
  }

  #group(options: Options): string {
    if (this.#takeMatch(/\?#[^)]*\)/y)) return '';
    const inline = this.#takeMatch(/\?([a-z]*)(?:-([a-z]*))?([:)])/y);
    if (inline) {
      const [, on = '', off = '', end] = inline;
      const changed = end === ')' ? options : { ...options };
      setOptions(changed, on, true);
      setOptions(changed, off, false);
      if (end !== ')') return this.#groupUntilClosed('(?:', changed);
      if (this.#quantifier() !== undefined) throw unsupported('a quantifier behind an option');
      return '';
    }
    const named = this.#takeMatch(/\?(?:<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')/y);
    const opening = named
      ? `(?<${named[1] ?? named[2]}>`
      : `(${this.#takeMatch(/\?(?:=|!|<=|<!)/y)?.[0] ?? ''}`;
    if (this.#startsWith('?'))
      throw unsupported(`a group that begins with '(${this.pattern.slice(this.#at, this.#at + 2)}'`);
    return this.#groupUntilClosed(opening, { ...options });
  }

  #groupUntilClosed(opening: string, options: Options): string {
    const source = this.#nested(() => opening + this.#upToEndOfGroup(options));
    if (!this.#take(')')) throw unsupported('an unclosed parenthesis');
    return `${source})`;
  }

  #nested(translate: () => string): string {
    if (this.#depth === MAX_DEPTH) throw unsupported(`more than ${MAX_DEPTH} nested groups`);
    this.#depth++;
    const source = translate();
    this.#depth--;
    return source;
  }

  /**
   * Translates an escape. Back-references are refused: one to a group that matched nothing fails in .NET, and matches
   * in JavaScript.
   */
  #escape(): string {
    const anchor = this.#takeMatch(/[AGzZbB]/y);
    if (anchor) return ESCAPED_ANCHORS[anchor[0]] ?? '';
    return this.#escapedClass() ?? literal(this.#escapedCharacter());
  }

  #escapedClass(): string | undefined {
    const known = this.#takeMatch(/[dDwWsS]/y);
    if (known) return ESCAPED_CLASSES[known[0]];
    const category = this.#takeMatch(/([pP])\{(\w+)\}/y);
    if (!category) return undefined;
    const [, kind, name = ''] = category;
    if (!GENERAL_CATEGORY.test(name)) throw unsupported(`the class \\${kind}{${name}}`);
    return `\\${kind}{${name}}`;
  }

  #escapedCharacter(): string {
    const coded = this.#takeMatch(/x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})/y);
    if (coded) return String.fromCharCode(Number.parseInt(coded[1] ?? coded[2] ?? '', 16));
    const octal = this.#takeMatch(/0[0-7]{0,2}/y);
    if (octal) return String.fromCharCode(Number.parseInt(octal[0], 8));
    const control = this.#takeMatch(/c([A-Za-z])/y);
    if (control) return String.fromCharCode((control[1] ?? '').charCodeAt(0) % 32);
    const character = this.#next();
    const code = ESCAPED_CHARACTERS[character];
    if (code !== undefined) return String.fromCharCode(code);
    if (/\w/.test(character)) throw unsupported(`the escape \\${character}`);
    return character;
  }

  #class(): string {
    const negation = this.#take('^') ? '^' : '';
    let items = '';
    do {
      if (items !== '' && this.#take('-[')) {
        const difference = `[[${negation}${items}]--${this.#nested(() => this.#class())}]`;
        if (!this.#take(']')) throw unsupported('a subtraction before the end of its class');
        return difference;
      }
      items += this.#classItem();
    } while (!this.#take(']'));
    return `[${negation}${items}]`;
  }

  #classItem(): string {
    if (this.#takeMatch(/\[:\w*:\]/y)) throw unsupported('a POSIX class');
    const first = this.#classMember();
    if (!this.#takeMatch(/-(?![\][])/y)) return typeof first === 'string' ? first : literal(first.character);
    const last = this.#classMember();
    if (typeof first === 'string' || typeof last === 'string')
      throw unsupported('a range that starts or ends with a class or an escaped hyphen');
    return `${literal(first.character)}-${literal(last.character)}`;
  }

  #classMember(): string | { character: string } {
    if (!this.#take('\\')) return { character: this.#next() };
    if (this.#take('b')) return { character: '\b' };
    if (this.#take('-')) return literal('-');
    return this.#escapedClass() ?? { character: this.#escapedCharacter() };
  }

  #startsWith(text: string): boolean {
    return this.pattern.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    const matches = this.#startsWith(text);
    if (matches) this.#at += text.length;
    return matches;
  }

  #takeMatch(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.pattern) ?? undefined;
    if (match) this.#at = expression.lastIndex;
    return match;
  }

  #next(): string {
    const code = this.pattern.codePointAt(this.#at);
    if (code === undefined) throw unsupported('an unfinished class or escape');
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }
}

function setOptions(options: Options, letters: string, value: boolean): void {
  for (const letter of letters) {
    if (letter === 'i') options.ignoreCase = value;
    else if (letter === 'm') options.multiline = value;
    else if (letter === 's') options.singleline = value;
    else throw unsupported(`the option ${letter}`);
  }
}

function literal(character: string): string {
  if (/^\p{Cs}$/u.test(character)) throw unsupported('an unpaired surrogate');
  return /^[A-Za-z0-9_]$/.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

function unsupported(construct: string): UnsupportedExpressionError {
  return new UnsupportedExpressionError(
    `the regular expression of the filter has ${construct}, which this server does not support`,
  );
}
