/** A job cannot be done, now or ever, as it was asked for: the message says to an operator why and what to do. */
export class JobError extends Error {
  override readonly name = 'JobError';
}
