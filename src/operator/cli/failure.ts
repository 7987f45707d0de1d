/** A foreseen failure: the command prints the message as one line on stderr and exits with 1. */
export class Failure extends Error {
  override readonly name = 'Failure';
}
