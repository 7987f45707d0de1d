/** Something a person must change before the network can start. The message is one line, and says what to do. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}
