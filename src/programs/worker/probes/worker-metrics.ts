import { Gauge } from 'prom-client';
import type { ProcessMetrics } from '../../../base/telemetry/process-metrics.js';
import { groupActivities } from '../../../../projections/runner/group-state.js';
import type { GroupStates } from './worker-checks.js';

export class WorkerMetrics {
  private readonly group = new Gauge({
    name: 'plaza_worker_group',
    help: 'State of a group in this worker: 1 for the current state, 0 for all others.',
    labelNames: ['group', 'state'],
    registers: [this.process.registry],
  });

  constructor(
    private readonly process: Pick<ProcessMetrics, 'registry' | 'text'>,
    private readonly groups: GroupStates,
  ) {}

  get contentType(): string {
    return this.process.registry.contentType;
  }

  text(): Promise<string> {
    for (const [group, state] of Object.entries(this.groups))
      for (const each of groupActivities)
        this.group.set({ group, state: each }, each === state().activity ? 1 : 0);
    return this.process.text();
  }
}
