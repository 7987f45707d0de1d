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
  readonly metadata: EventMetadata;
  /** Identifiers in the address, unchecked. */
  readonly params: Readonly<Record<string, string>>;
  /** The client's key of a registration that may be repeated. */
  readonly idempotencyKey: string | undefined;
  /** Id of the approval that the act runs under; the act creates nothing twice for it. Undefined: it needs none. */
  readonly approvalId?: string;
  /** True: four-eyes is on, and the act was found to need no approval. It must not have an effect that would need one. */
  readonly isUncovered?: true;
  readonly desk: ApprovalDesk;
}

type Run<Input> = (input: Input, context: ActContext) => Promise<unknown>;

export type ShownFacts = Readonly<Record<string, string | number | readonly string[]>>;

export interface ApprovalPreview {
  readonly facts: ShownFacts;
  /** In place of the input, if that would mean something else later. */
  readonly input?: object;
}

/**
 * Rule for acts that wait for another operator while four-eyes is on (docs/adr/0032-four-eyes.md). An act that gives access to
 * an account or to all texts of a person has one, too, without `covers` and `restricts`.
 */
export interface ApprovalRule<Input> {
  /** For the published table. */
  readonly when: string;
  /** False: no act with this input needs an approval. */
  readonly covers?: (input: Input) => boolean;
  /** Number of posts or accounts that the act would restrict. Within their allowance, operators do it alone. */
  readonly restricts?: (input: Input, context: RuleContext) => Promise<number>;
  /**
   * Returns the effect that the act would have now; undefined: it needs no approval.
   * @throws what the act would throw.
   */
  readonly preview: (input: Input, context: RuleContext) => Promise<ApprovalPreview | undefined>;
  /** The stream in which the act has its event, by the parameters of its address and the id of the approval. */
  readonly streamOf: (params: ActContext['params'], approvalId: string) => string;
  /** A second run under the same approval finishes the first one. */
  readonly isRepeatable?: true;
  /** True: the shared token does it alone while fewer than two administrators could approve anything. */
  readonly isEmergency?: (input: Input) => boolean;
}

export const ABOVE_ALLOWANCE = 'above the set number of restrictions in 24 hours';

export type RuleContext = Pick<ActContext, 'services' | 'params'>;

export interface ApprovalDesk {
  readonly give: (approvalId: string, digest: string, context: ActContext) => Promise<unknown>;
  readonly refuse: (approvalId: string, context: ActContext) => Promise<unknown>;
  readonly carryOut: (approvalId: string, context: ActContext) => Promise<unknown>;
}

interface ActDefinition<Input> {
  /** `noun.verb`. */
  readonly name: string;
  readonly may: Admission;
  /** The shared token does not suffice: it cannot tell one operator from the other who must decide, too. */
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
  /** Undefined: it never needs an approval. */
  readonly approval?: ApprovalRule<Input>;
  /** True: it ends or lowers another operator. Not everybody may do so while four-eyes is on. */
  readonly endsOperator?: true;
  /** True: the console has it too, as the page of a GET or the form of a POST, at {@link consolePathOf}. */
  readonly inConsole?: true;
  /** Name of the thing that each repetition creates once more, for a message. Undefined: a repetition is safe. */
  readonly duplicates?: string;
}

export interface Act extends Omit<ActDefinition<unknown>, 'input' | 'run' | 'approval'> {
  readonly method: string;
  readonly path: string;
  readonly schema: z.ZodType<{ readonly reason?: string | undefined }> | undefined;
  readonly run: Run<unknown>;
  readonly approval?: ApprovalRule<unknown> | undefined;
}

export function act<Input>({ input, run, approval, ...definition }: ActDefinition<Input>): Act {
  const [method = '', path = ''] = definition.route.split(' ');
  const { reason } = definition;
  const schema = reason
    ? (input ?? z.strictObject({})).extend({
        reason: reason === 'required' ? requiredReason : optionalReason,
      })
    : input;
  return {
    ...definition,
    method,
    path,
    schema,
    run: run as Run<unknown>,
    approval: approval as ApprovalRule<unknown> | undefined,
  };
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
