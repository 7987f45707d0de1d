import { z } from 'zod';
import type { Permission } from '../../domain/operator/roles.js';
import type { EventMetadata } from '../../log/recorded.js';
import type { Caller } from './caller.js';
import { optionalReason, requiredReason } from './schemas.js';
import type { ActServices } from './services.js';

/**
 * The permission that an act needs. `self`: none, as every operator may do it to themselves. `invitation`: an
 * invitation code. `anyone`: no credential.
 */
export type Admission = Permission | 'self' | 'invitation' | 'anyone';

/** Made by {@link Acts} alone. */
export interface ActContext {
  readonly services: ActServices;
  readonly caller: Caller;
  /** For every event of the act. */
  readonly metadata: EventMetadata;
  /** Identifiers in the address, unchecked. */
  readonly params: Readonly<Record<string, string>>;
  /** The client's key of a registration that may be repeated. */
  readonly idempotencyKey: string | undefined;
}

type Run<Input> = (input: Input, context: ActContext) => Promise<unknown>;

interface ActDefinition<Input> {
  /** `noun.verb`. */
  readonly name: string;
  readonly may: Admission;
  /** The shared token does not suffice: it cannot tell who decided from who rules on the appeal. */
  readonly isPersonal?: boolean;
  readonly route: `${'GET' | 'POST'} /${string}`;
  /** The command line's name for it, without `plaza`. Undefined: a part of another command. */
  readonly command?: string;
  /** Undefined: the act records nothing, or nobody has to say why. */
  readonly reason?: 'required' | 'optional';
  /** Shape of the body, or of a GET's query, without the reason. Undefined: the body or query is not read. */
  readonly input?: z.ZodObject & z.ZodType<Input>;
  /** The answer, of status 200 unless it is an {@link Answer}. */
  readonly run: Run<Input>;
  /** True: the console has it too, as the page of a GET or the form of a POST, at {@link consolePathOf}. */
  readonly inConsole?: true;
  /** Name of the thing that each repetition creates once more, for a message. Undefined: a repetition is safe. */
  readonly duplicates?: string;
}

/** A row of the table of acts. */
export interface Act extends Omit<ActDefinition<unknown>, 'input' | 'run'> {
  readonly method: string;
  readonly path: string;
  readonly schema: z.ZodType<{ readonly reason?: string | undefined }> | undefined;
  readonly run: Run<unknown>;
}

export function act<Input>({ input, run, ...definition }: ActDefinition<Input>): Act {
  const [method = '', path = ''] = definition.route.split(' ');
  const { reason } = definition;
  const schema = reason
    ? (input ?? z.strictObject({})).extend({
        reason: reason === 'required' ? requiredReason : optionalReason,
      })
    : input;
  return { ...definition, method, path, schema, run: run as Run<unknown> };
}

/** Its address in the console; undefined: it is not there. */
export function consolePathOf({ path, inConsole }: Pick<Act, 'path' | 'inConsole'>): string | undefined {
  if (path === '/console' || path.startsWith('/console/')) return path;
  return inConsole && path.replace(/^\/operator\//, '/console/');
}

/** An answer with a status or a content type of its own. */
export class Answer {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly contentType?: string,
  ) {}
}
