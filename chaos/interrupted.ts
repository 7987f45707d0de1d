/** A person ended the run. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
