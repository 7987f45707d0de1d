import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { LogUnavailable } from '../event-log.js';
import { ExclusiveTask } from './exclusive-task.js';
import { openWitness } from './open-witness.js';
import type { Witness } from './witness.js';

class Task extends ExclusiveTask {
  protected override readonly lock = 'task';
  protected override readonly subject = 'work';

  constructor(
    witness: Witness,
    logged: (line: string) => void,
    private readonly rounds: (() => void)[],
    private readonly ended: () => void,
  ) {
    super(0, { witness, logger: pino({}, { write: logged }) });
  }

  protected override hasWork(): Promise<boolean> {
    if (this.rounds.length === 0) this.ended();
    return Promise.resolve(this.rounds.length > 0);
  }

  protected override work(): Promise<void> {
    this.rounds.shift()?.();
    return Promise.resolve();
  }
}

/** The lock is free. */
const free = { alone: (_name, work) => work().then(() => true) } as Pick<Witness, 'alone'> as Witness;
const away = (): never => {
  throw new LogUnavailable('away');
};
const wrong = (): never => {
  throw new Error('wrong');
};
const fine = (): void => undefined;

/** Level and message of each line. */
async function logOf(rounds: (() => void)[], witness = free): Promise<readonly [number, string][]> {
  const lines: string[] = [];
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const task = new Task(witness, (line) => void lines.push(line), rounds, end);
  task.start();
  await ended;
  await task.stop();
  return lines
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .map(({ level, msg }) => [level, msg]);
}

describe('a failure of work that one process does', () => {
  it('is logged again if it is no outage any more', async () => {
    expect(await logOf([away, wrong, wrong, away])).toEqual([
      [40, 'work interrupted; retrying'],
      [50, 'work interrupted; retrying'],
    ]);
  });

  it('is logged once in a row, an outage as a warning', async () => {
    expect(await logOf([away, away, fine, away, fine, wrong, wrong, fine])).toEqual([
      [40, 'work interrupted; retrying'],
      [40, 'work interrupted; retrying'],
      [50, 'work interrupted; retrying'],
    ]);
  });
});

describe('work without a witness', () => {
  it('is not done, and its failure not logged', async () => {
    const rounds = [fine];
    const witness = openWitness({ url: undefined, applicationName: 'test' });
    const alone = async (...args: Parameters<Witness['alone']>) => {
      // The second attempt ends the test.
      if (attempts++ === 1) rounds.pop();
      return await witness.alone(...args);
    };
    let attempts = 0;
    expect(await logOf(rounds, { alone } as Pick<Witness, 'alone'> as Witness)).toEqual([]);
    expect(attempts).toBe(2);
  });
});
