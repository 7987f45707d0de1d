import { z } from 'zod';
import { batchPreview, batchStatus, listedBatch } from './answers.js';
import type { OperatorApi } from './operator-api.js';
import type { BatchPlan } from './operator-requests.js';

export class BatchClient {
  constructor(private readonly api: OperatorApi) {}

  preview(plan: BatchPlan) {
    return this.api.call(batchPreview, 'POST', `${BATCHES}/preview`, plan);
  }

  /** `digest`: of the preview. */
  request(plan: BatchPlan, digest: string, reason: string) {
    return this.api.call(batchStatus, 'POST', BATCHES, { ...plan, digest, reason });
  }

  list() {
    return this.api.call(z.array(listedBatch), 'GET', BATCHES);
  }

  show(batchId: string) {
    return this.api.call(batchStatus, 'GET', pathOf(batchId));
  }

  undo(batchId: string, reason: string) {
    return this.api.call(batchStatus, 'POST', `${pathOf(batchId)}/undo`, { reason });
  }
}

const BATCHES = '/operator/batches';

const pathOf = (batchId: string) => `${BATCHES}/${encodeURIComponent(batchId)}`;
