import { SetMetadata } from '@nestjs/common';
import type { z } from 'zod';
import type { ReadRule } from '../admission/protected-reads.js';
import type { ErrorCode } from '../../../server/errors.js';
import type { AnswerHeader, RequestHeader } from '../../../server/headers.js';

/**
 * Declaration of an operation for the published document (`GET /api/openapi.json`). The process does not start if a
 * handler below `/api` lacks `@Operation`. A declaration holds only facts that the code does not state already:
 *
 *     const read = { scope: 'read', anonymous: true };              // the same rule as in `reads.read(request, read, …)`
 *     const onePost = z.strictObject({ post });                     // from a *.resource.ts file, which names the component
 *
 *     @Get(':id')
 *     @Operation({
 *       id: 'getPost',                                              // method name of generated clients
 *       summary: 'Read a post',                                     // a few words without a full stop
 *       access: read,                                               // reads only: a mutation has `@Mutation(scope)`
 *       answer: onePost,                                            // strict body of the 200; the handler's type must fit
 *       example: { post: examplePost },                             // of the 200, checked by the compiler and a test
 *       errors: ['post_unavailable'],                               // beyond the shared ones
 *     })
 *     async post(@Param('id') id: string, @Query({ schema }) query, @Body({ schema }) body, …): Promise<AnswerOf<typeof onePost>>
 *
 * - Method, path, query and body schemas, and the scope of a mutation come from Nest's decorators. A body also needs an
 *   example (`bodyExample`). `.meta({…})` on a transforming schema adds what JSON Schema cannot derive: see `pageLimit` in
 *   fields.ts. `.describe('…')` explains a field whose name is not enough.
 * - shared-errors.ts adds the codes of tokens, scopes, limits, storage, recovery, intents and JSON bodies. errors.ts
 *   has the status of each code, and error-meanings.ts its text.
 * - headers.ts adds the headers of a protected read, `x-network-write-revision` of a mutation, `Retry-After`,
 *   `RateLimit` and `WWW-Authenticate`. Declare any other header there and name it here in `headers`.
 *
 * The end-to-end tests check every answer against the document: an undeclared code, field or header fails them.
 */
export interface OperationDeclaration<Answer extends z.ZodType = z.ZodType> {
  /** Unique and permanent: generated clients use it as the method name. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly access?: ReadRule;
  readonly answer: Answer;
  readonly example: Shown<z.input<Answer>>;
  readonly bodyExample?: unknown;
  readonly errors?: readonly ErrorCode[];
  /** Refusals that network-api.md declares for this operation, and that no request gets. */
  readonly published?: Readonly<Record<number, ErrorCode>>;
  readonly headers?: readonly AnswerHeader[];
  readonly requestHeaders?: readonly RequestHeader[];
  /** Schemas of path parameters other than identifiers. */
  readonly params?: Readonly<Record<string, z.ZodType>>;
  /** Schema of the data of each event, for an operation that can answer with `text/event-stream`. */
  readonly streamedEvent?: z.ZodType;
}

type Shown<Value> = Value extends readonly (infer Item)[]
  ? readonly Shown<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Shown<Value[Key]> }
    : Value;

/**
 * Body of an answer, as its handler returns it. A handler that sends the answer itself, as a stream does, returns
 * undefined.
 */
export type AnswerOf<Answer extends z.ZodType> = Shown<z.output<Answer>>;

type Handler<Answer extends z.ZodType> = (
  ...args: never[]
) => Promise<AnswerOf<Answer> | undefined> | AnswerOf<Answer>;

const DECLARATION = 'declaration of the operation';

export const Operation =
  <Answer extends z.ZodType>(declaration: OperationDeclaration<Answer>) =>
  <Method extends Handler<Answer>>(
    target: object,
    name: string,
    method: TypedPropertyDescriptor<Method>,
  ): void => {
    SetMetadata(DECLARATION, declaration)(target, name, method);
  };

export const declarationOf = (handler: object): OperationDeclaration | undefined =>
  Reflect.getMetadata(DECLARATION, handler) as OperationDeclaration | undefined;
