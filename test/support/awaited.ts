import { AwaitsApproval } from '../../src/operator/client/awaits-approval.js';
import type { AwaitedRequest } from '../../src/operator/desk/approvals/awaited-approval.js';

/** The request that a command answers in place of its result. @throws {Error} it did not wait; errors of the command. */
export async function awaited(command: Promise<unknown>): Promise<AwaitedRequest> {
  const error: unknown = await command.then(
    (result) => new Error(`it did not wait: ${JSON.stringify(result)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof AwaitsApproval) return error.request;
  throw error;
}
