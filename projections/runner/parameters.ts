/** Collects the parameters of one SQL statement; `add` returns the placeholder. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}
