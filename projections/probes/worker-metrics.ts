import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { activities } from '../runner/group-state.js';
import type { GroupStates } from './worker-checks.js';

/** Metrics of a worker, in the Prometheus text format. Those of the network as a whole are the API processes'. */
export class WorkerMetrics {
  private readonly registry = new Registry();
  private readonly group = new Gauge({
    name: 'plaza_worker_group',
    help: 'What this worker does for a group: 1 for the state that is.',
    labelNames: ['group', 'state'],
    registers: [this.registry],
  });

  constructor(private readonly groups: GroupStates) {
    collectDefaultMetrics({ register: this.registry });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The text of one scrape. */
  text(): Promise<string> {
    for (const [group, state] of Object.entries(this.groups))
      for (const each of activities)
        this.group.set({ group, state: each }, each === state().activity ? 1 : 0);
    return this.registry.metrics();
  }
}
