import { LogUnavailable } from '../../../src/log/event-log.js';
import type { Append, AppendedEvents, EventLog } from '../../../src/log/event-log.js';

/** The append with this number fails, before or after it is stored. */
export class FailingLog implements EventLog {
  private appends = 0;

  constructor(
    private readonly log: EventLog,
    private readonly failing: number,
    private readonly when: 'before' | 'after',
  ) {}

  async append(append: Append): Promise<AppendedEvents> {
    this.appends += 1;
    if (this.appends === this.failing && this.when === 'before') throw new LogUnavailable('cut off');
    const appended = await this.log.append(append);
    if (this.appends === this.failing) throw new LogUnavailable('cut off');
    return appended;
  }

  ensureWitnessed: EventLog['ensureWitnessed'] = (recorded) => this.log.ensureWitnessed(recorded);
  prove: EventLog['prove'] = () => this.log.prove();
  leadership: EventLog['leadership'] = () => this.log.leadership();
  read: EventLog['read'] = (...given) => this.log.read(...given);
  head: EventLog['head'] = () => this.log.head();
  reach: EventLog['reach'] = (...given) => this.log.reach(...given);
  reconnect: EventLog['reconnect'] = () => this.log.reconnect();
  find: EventLog['find'] = (...given) => this.log.find(...given);
  verify: EventLog['verify'] = (...asked) => this.log.verify(...asked);
  references: EventLog['references'] = (options) => this.log.references(options);
  undecoded: EventLog['undecoded'] = (options) => this.log.undecoded(options);
  checkWritable: EventLog['checkWritable'] = () => this.log.checkWritable();
  explain: EventLog['explain'] = (...given) => this.log.explain(...given);
  subscribe: EventLog['subscribe'] = (options) => this.log.subscribe(options);
  close: EventLog['close'] = () => Promise.resolve();
}
