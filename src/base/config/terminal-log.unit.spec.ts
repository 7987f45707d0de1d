import { describe, expect, it } from '@jest/globals';
import type { Logger } from 'pino';
import { createLogger } from './logger.js';
import { TerminalLog } from './terminal-log.js';

/** The lines that a terminal shows for what is logged. */
function shownFor(logged: (log: Logger) => void, hasColors = false): string[] {
  let shown = '';
  const terminal = { write: (text: string) => void (shown += text), flushSync: () => undefined };
  logged(createLogger({ logLevel: 'debug' }, 'worker', new TerminalLog(terminal, hasColors)));
  return shown.trimEnd().split('\n');
}

describe('the log on a terminal', () => {
  it('has local time, process, message and fields on one line', () => {
    const [line, ...others] = shownFor((log) =>
      log.info({ incarnation: 'i-1', rows: 0, before: undefined, why: 'two words' }, 'built'),
    );
    expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} worker {5}built {2}incarnation=i-1 rows=0 why="two words"$/);
    expect(others).toEqual([]);
  });

  it('names each level but info, and says a message without fields alone', () => {
    const lines = shownFor((log) => {
      log.debug('a');
      log.info('b');
      log.warn('c');
      log.error('d');
      log.fatal('e');
    });
    expect(lines.map((line) => line.replace(/^\S+ worker +/, ''))).toEqual([
      'DEBUG a',
      'b',
      'WARN c',
      'ERROR d',
      'FATAL e',
    ]);
  });

  it('has an error below its line: with its stack, or as a warning in one line for each cause', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const away = new Error('the log does not answer', { cause: refused });
    const [, ...warned] = shownFor((log) => log.warn({ err: away }, 'not ready'));
    expect(warned).toEqual([
      '    Error: the log does not answer',
      '    caused by Error: connect ECONNREFUSED (ECONNREFUSED)',
    ]);
    const [, first, second] = shownFor((log) => log.error({ err: away }, 'unforeseen'));
    expect(first).toBe('    Error: the log does not answer');
    expect(second).toMatch(/^ {8}at .*terminal-log\.unit\.spec/);
  });

  it('lets no text of others begin a line or steer the terminal', () => {
    const hostile = 'x\n09:30:00.000 api FATAL\u001b[2J\u009b31m\u202e';
    const lines = shownFor((log) => log.warn({ name: hostile, err: new Error(hostile) }, hostile), true);
    const unstyled = lines.join('\n').replaceAll(new RegExp(String.raw`\u001b\[\d+m`, 'g'), '');
    expect(unstyled).not.toMatch(/[^\P{C}\n]/u);
    expect(unstyled.match(/^\S/gm)).toHaveLength(1);
  });

  it('has colors where the terminal has them', () => {
    const log = (logger: Logger) => logger.error('d');
    expect(shownFor(log, true).join()).toContain('\u001b[31mERROR\u001b[39m');
    expect(shownFor(log, false).join()).not.toContain('\u001b');
  });
});
