export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
