/** A command was refused or failed: its message is the one line on stderr, and the exit code is 1. */
export class Failure extends Error {
  override readonly name = 'Failure';
}
