import { Failure, Refused } from '../../base/terminal/failure.js';
import { sleep } from '../../base/support/sleep.js';
import { dayOf } from '../data-set/paths.js';

const RETRY_MS = 10_000;

interface PermissionOptions {
  /** Asks the operator API, which records the export. */
  readonly ask: () => Promise<unknown>;
  /** True: exports also where no API or token is at hand. */
  readonly isAlone: boolean;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onNotice: (line: string) => void;
  readonly retryMs?: number;
}

/** An export is recorded before it reads an event: at its start, and on each later UTC day. */
export class ExportPermission {
  private day: string | undefined;

  constructor(private readonly options: PermissionOptions) {}

  /**
   * Returns false if the signal ended it before there was an answer; once the export has begun, it waits for an API that is
   * away.
   * @throws {Failure} nothing may be exported.
   */
  async obtain(): Promise<boolean> {
    const { signal, now, onNotice, retryMs = RETRY_MS } = this.options;
    const today = dayOf(now());
    for (let problem = ''; this.day !== today;) {
      try {
        await this.askOrGoAlone();
        this.day = today;
      } catch (error) {
        if (this.day === undefined || error instanceof Refused || !(error instanceof Failure)) throw error;
        if (error.message !== problem) onNotice(`${error.message}; waiting for it`);
        problem = error.message;
        await sleep(retryMs, signal);
        if (signal.aborted) return false;
      }
    }
    return true;
  }

  private async askOrGoAlone(): Promise<void> {
    const { ask, isAlone, onNotice } = this.options;
    try {
      await ask();
    } catch (error) {
      if (error instanceof Refused || !(error instanceof Failure)) throw error;
      if (!isAlone)
        throw new Failure(
          `${error.message}. The operator API records each export, so nothing more was exported; ANALYTICS_EXPORT_ALONE=on exports unrecorded, for machines that have the event store alone`,
          { cause: error },
        );
      onNotice('exporting unrecorded (ANALYTICS_EXPORT_ALONE=on): no operator API or token is at hand');
    }
  }
}

/** The batches, each with permission for its day; ends where the permission was not awaited. */
export async function* permitted<Batch>(
  batches: AsyncIterable<Batch>,
  permission: Pick<ExportPermission, 'obtain'>,
): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    if (!(await permission.obtain())) return;
    yield batch;
  }
}
