/** A foreseen failure: the command prints the message as one line on stderr and exits with 1. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
}

/** The network understood the command and refused it: the same command would be refused again. */
export class Refused extends Failure {
  override readonly name: string = 'Refused';

  readonly code: string | undefined;

  /** `code`: a published one. */
  constructor(
    message: string,
    { code, ...options }: ErrorOptions & { readonly code?: string | undefined } = {},
  ) {
    super(message, options);
    this.code = code;
  }
}

/** An argument is wrong: the command exits with 2, as for those that it refuses itself. */
export class WrongArgument extends Refused {
  override readonly name = 'WrongArgument';
}
