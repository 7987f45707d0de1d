import { styleText } from 'node:util';
import { levels } from 'pino';
import type { DestinationStream } from 'pino';
import { localTime } from '../support/local-time.js';
import { plainText } from '../support/plain-text.js';
import type { ErrorDescription } from './error-description.js';

interface Entry {
  readonly level: number;
  readonly time: number;
  readonly process: string;
  readonly msg?: string;
  readonly err?: ErrorDescription;
  readonly [field: string]: unknown;
}

type Style = Parameters<typeof styleText>[0];

const INFO = 30;
const styles: Readonly<Record<string, Style>> = { debug: 'dim', warn: 'yellow', error: 'red', fatal: 'red' };
const PROCESS_WIDTH = 'eventstore'.length;

/** Writes the JSON lines of a log to a terminal, in a form for persons. */
export class TerminalLog implements DestinationStream {
  constructor(
    private readonly terminal: DestinationStream & { flushSync(): void },
    private readonly hasColors: boolean,
  ) {}

  write(json: string): void {
    this.terminal.write(`${this.#format(JSON.parse(json) as Entry)}\n`);
  }

  /** Writes pending lines at once; pino calls this after a fatal entry. */
  flushSync(): void {
    this.terminal.flushSync();
  }

  /**
   * `09:30:00.000 worker     WARN not ready  component=log`, with an error on the lines below. Messages and fields may
   * hold texts of others, so that nothing in them may steer the terminal.
   */
  #format({ level, time, process, msg = '', err, ...fields }: Entry): string {
    const label = levels.labels[level] ?? String(level);
    const named = level === INFO ? [] : [this.#styled(styles[label], label.toUpperCase())];
    const values = Object.entries(fields).map(([name, value]) => plainText(`${name}=${shown(value)}`));
    const line = [
      this.#styled('dim', localTime(time).split(' ')[1] ?? ''),
      process.padEnd(PROCESS_WIDTH),
      ...named,
      [oneLine(msg), this.#styled('dim', values.join(' '))].filter(Boolean).join('  '),
    ].join(' ');
    return err === undefined ? line : `${line}\n${indented(plainText(describe(err)))}`;
  }

  #styled(style: Style | undefined, text: string): string {
    const isPlain = !this.hasColors || style === undefined || text === '';
    // The caller has asked the terminal itself.
    return isPlain ? text : styleText(style, text, { validateStream: false });
  }
}

/** The value of a field, quoted where it would not read as one word. */
function shown(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

const oneLine = (text: string): string => plainText(text).replaceAll(/[\n\t]/g, ' ');

/** The text of an error. Its stack, if it has one, begins with type and message. */
function describe({ type, message, code, stack, cause }: ErrorDescription): string {
  const said = stack ?? `${type}: ${message}${code === undefined ? '' : ` (${shown(code)})`}`;
  return cause === undefined ? said : `${said}\ncaused by ${describe(cause)}`;
}

const indented = (text: string): string => text.replaceAll(/^/gm, '    ');
