/** Values of an attribute. Never a text, a name or an address of a person. */
type AttributeValue = string | number | readonly string[];

export interface SpanOptions {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
  /** Makes a span only inside of another one, so that background work makes no traces of its own. */
  readonly needsParent?: boolean;
}

export interface OpenSpan {
  /** Runs the work; spans that start in it become children. */
  run<Result>(work: () => Result): Result;
  /** `errorType`: a code or the name of an error's class, never its message, which may quote a text. */
  end(errorType?: string, attributes?: SpanOptions['attributes']): void;
}

export interface Tracer {
  start(options: SpanOptions): OpenSpan | undefined;
  /** Sends the remaining spans. Never rejects. */
  close(): Promise<void>;
}
