/** The job cannot succeed as requested; a retry fails too. The message gives an operator the cause and the remedy. */
export class JobError extends Error {
  override readonly name = 'JobError';
}
