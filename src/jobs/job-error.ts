/** A job cannot be done, now or ever, as it was asked for: the message says to an operator why and what to do. */
export class JobFault extends Error {
  override readonly name = 'JobFault';
}
