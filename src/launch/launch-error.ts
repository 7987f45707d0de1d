/** The network cannot start before an operator acts. The message tells the operator what to do, in one line. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}
