import type { z } from 'zod';
import type { Act } from '../desk/act.js';

/** Parameters of an address, such as `:id`. */
type Params<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [Key in Name]: string | number } & Params<Rest>
  : Path extends `${string}:${infer Name}`
    ? { readonly [Key in Name]: string | number }
    : unknown;

/** A list that is sent may be readonly; a query says yes and no in words. */
type Sent<Field> = Field extends readonly (infer Item)[]
  ? readonly Item[]
  : Field extends 'true' | 'false'
    ? boolean
    : Field;

type Fields<Shape> = { readonly [Name in keyof Shape]: Sent<Shape[Name]> };

type Given<Row extends Act> = Fields<z.input<NonNullable<Row['schema']>>> & Params<Row['route']>;

type Answered<Row extends Act> = z.output<Row['answer']>;

type RowOf<Row extends Act, Route> = Extract<Row, { readonly route: Route }>;

export type AnswerOf<Row extends Act, Route> = Answered<RowOf<Row, Route>>;
export type GivenTo<Row extends Act, Route> = Given<RowOf<Row, Route>>;

/** Calls of acts by their routes. Input and answer are those of the act's row, of which nothing is loaded. */
export interface Calls<Row extends Act> {
  /**
   * `given`: parameters of the address and fields of the input.
   * @throws {Failure} {@link AwaitsApproval}
   */
  call<Route extends Row['route']>(
    route: Route,
    ...given: Arguments<GivenTo<Row, Route>>
  ): Promise<AnswerOf<Row, Route>>;

  /** Streams the answer, without a time limit. @throws {Failure} */
  stream<Route extends Row['route']>(
    route: Route,
    ...given: Arguments<GivenTo<Row, Route>>
  ): Promise<AsyncIterable<Uint8Array>>;
}

/** Nothing need be given to an act that needs nothing. */
export type Arguments<Needed> = object extends Needed ? [given?: Needed] : [given: Needed];
