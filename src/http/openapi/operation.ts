import { SetMetadata } from '@nestjs/common';
import type { z } from 'zod';
import type { ReadRule } from '../admission/protected-reads.js';
import type { ErrorCode } from '../server/errors.js';
import type { AnswerHeader, RequestHeader } from './headers.js';

/**
 * How an operation comes into the published document (`GET /api/openapi.json`): its handler is marked with
 * `@Operation`, and the process does not start if a handler below `/api` is not. Said here is only what the code does
 * not say already:
 *
 *     const read = { scope: 'read', anonymous: true };              // the very rule that `reads.read(request, read, …)` takes
 *     const onePost = z.strictObject({ post });                     // from resources/, where components have their names
 *
 *     @Get(':id')
 *     @Operation({
 *       id: 'getPost',                                              // the client's name for it
 *       summary: 'Read a post',
 *       access: read,                                               // not for mutations: `@Mutation(scope)` says it
 *       answers: onePost,                                           // body of the 200, strict; the handler's type must fit
 *       example: { post: examplePost },                             // of the 200, checked against `answers` by the compiler and a test
 *       errors: ['post_unavailable'],                               // beyond those that all operations of its sort share
 *     })
 *     async post(@Param('id') id: string, @Query({ schema }) query, @Body({ schema }) body, …): Promise<Answered<typeof onePost>>
 *
 * - Method, path, the schemas of query and body, and the scope of a mutation are taken from Nest's own decorators.
 *   A body needs an example besides (`sends`). What JSON Schema cannot say of a transforming schema, `.meta({…})` on it
 *   says: see `pageLimit` in fields.ts. Describe a field with `.describe('…')` where its name is not enough.
 * - Codes that come by themselves are in shared-errors.ts: those of tokens, scopes, limits, storage and recovery, of
 *   intents for mutations and of JSON for bodies. Each code's status is that of errors.ts, and its words in the document
 *   are those of error-meanings.ts.
 * - Headers that come by themselves are in headers.ts: those of a protected read, `x-network-write-revision` of a
 *   mutation, `Retry-After`, `RateLimit`, `WWW-Authenticate`. Others are added there and named here in `headers`.
 *
 * Every answer that the end-to-end tests get is held against the document: a code, field or header that is not declared
 * fails them.
 */
export interface OperationDeclaration<Answer extends z.ZodType = z.ZodType> {
  /** Unique, and for ever: generated clients name the operation by it. */
  readonly id: string;
  /** A few words without a full stop. */
  readonly summary: string;
  /** What else a caller has to know, in sentences. */
  readonly description?: string;
  readonly access?: ReadRule;
  readonly answers: Answer;
  readonly example: Shown<z.input<Answer>>;
  /** Example of the body. */
  readonly sends?: unknown;
  readonly errors?: readonly ErrorCode[];
  /** Of the 200. */
  readonly headers?: readonly AnswerHeader[];
  readonly requestHeaders?: readonly RequestHeader[];
  /** Schemas of path parameters that are no identifiers. */
  readonly params?: Readonly<Record<string, z.ZodType>>;
  /** What each event's data is, where `Accept: text/event-stream` is answered with a stream. */
  readonly streams?: z.ZodType;
}

/** The same, never written to. */
type Shown<Value> = Value extends readonly (infer Item)[]
  ? readonly Shown<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Shown<Value[Key]> }
    : Value;

/** What a handler returns for that schema; undefined where it has answered by itself, as a stream does. */
export type Answered<Answer extends z.ZodType> = Shown<z.output<Answer>>;

type Handler<Answer extends z.ZodType> = (
  ...args: never[]
) => Promise<Answered<Answer> | undefined> | Answered<Answer>;

const DECLARATION = 'declaration of the operation';

/** Publishes the handler: see {@link OperationDeclaration}. */
export const Operation =
  <Answer extends z.ZodType>(declaration: OperationDeclaration<Answer>) =>
  <Method extends Handler<Answer>>(
    target: object,
    name: string,
    method: TypedPropertyDescriptor<Method>,
  ): void => {
    SetMetadata(DECLARATION, declaration)(target, name, method);
  };

/** Undefined: it is not marked. */
export const declarationOf = (handler: object): OperationDeclaration | undefined =>
  Reflect.getMetadata(DECLARATION, handler) as OperationDeclaration | undefined;
