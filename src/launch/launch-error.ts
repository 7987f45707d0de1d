/** An operator must act before the network can start. The message is one line and says how. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}
