/**
 * The job cannot succeed as requested: a retry would fail too. The message names the cause and the remedy for an
 * operator.
 */
export class JobError extends Error {
  override readonly name = 'JobError';
}
