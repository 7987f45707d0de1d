import { z } from 'zod';
import type { Html } from '../../base/pages/html.js';
import type { ChangeResult } from '../../commands/support/write-side.js';
import type { Permission } from '../../domain/operator/roles.js';
import type { EventMetadata } from '../../log/recorded.js';
import type { ApprovalWords } from './approvals/words.js';
import type { Caller } from './caller.js';
import type { ActForm, Frame, View } from './page.js';
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
  /** For its approver. `facts`: of the preview; none, if nobody can read them any more. */
  readonly words: (facts: ShownFacts) => ApprovalWords;
  /** The page of the console about what it began. */
  readonly leadsTo?: (approvalId: string) => { readonly path: string; readonly name: string };
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

/** `result`: the answer of the act. */
export interface CarriedOut {
  readonly approvalId: string;
  readonly act: string;
  /** The act for people. */
  readonly asks: string;
  readonly result: unknown;
}

export interface ApprovalDesk {
  readonly wordsOf: (act: string, facts: ShownFacts) => ApprovalWords;
  readonly give: (approvalId: string, digest: string, context: ActContext) => Promise<ChangeResult>;
  readonly refuse: (approvalId: string, context: ActContext) => Promise<ChangeResult>;
  readonly carryOut: (approvalId: string, context: ActContext) => Promise<CarriedOut>;
}

type Reason = 'required' | 'optional' | undefined;

/** The part of a row that is the same for each input and answer. */
interface ActTraits<Route extends string> {
  /** `noun.verb`. */
  readonly name: string;
  readonly may: Admission;
  /** The shared token does not suffice: it cannot tell one operator from the other who must decide, too. */
  readonly isPersonal?: boolean;
  readonly route: Route;
  /** The command line's name for it, without `plaza`. Undefined: a part of another command. */
  readonly command?: string;
  /** True: it ends or lowers another operator. Not everybody may do so while four-eyes is on. */
  readonly endsOperator?: true;
  /** Name of the thing that each repetition creates once more, for a message. Undefined: a repetition is safe. */
  readonly duplicates?: string;
}

/** Methods, as a row of any input and answer is an {@link Act}. */
interface ActInConsole<Answered> {
  /** Shows the answer of a GET in the console, at {@link consolePathOf}. */
  page?(frame: Frame, answer: Answered, view: View): string;
  /** Input of the page, by the fields of its address. Undefined: those fields. */
  pageInput?(query: View['query']): View['query'];
  /** Shows an input that is refused, with the message, in place of a page of a fault. */
  refusedPage?(frame: Frame, message: string, view: View): string;
  /** Ways on from the page of a fault, beside the one back. */
  ways?(frame: Frame, params: ActContext['params']): Html;
  /** True: the browser loads the page again, unless the operator stops that. */
  isUnfinished?(answer: Answered): boolean;
  /** A POST that is a form of the console, at {@link consolePathOf}. `true`: nothing about it is special. */
  readonly form?: true | ActForm<Answered>;
}

interface ActDefinition<
  Route extends string,
  Input extends z.ZodObject,
  Why extends Reason,
  Answered extends z.ZodType,
>
  extends ActTraits<Route>, ActInConsole<z.output<Answered>> {
  /** Undefined: the act records nothing, or nobody has to say why. */
  readonly reason?: Why;
  /** Shape of the body, or of a GET's query, without the reason. Undefined: the body or query is not read. */
  readonly input?: Input;
  /** Shape of the answer. It is published; in a test, an act that answers otherwise fails. */
  readonly answer: Answered;
  /** The answer, of status 200 unless it is an {@link Answer}. */
  readonly run: (
    input: z.output<Input>,
    context: ActContext,
  ) => Promise<z.output<Answered> | Answer<z.output<Answered>>>;
  /** Undefined: it never needs an approval. */
  readonly approval?: ApprovalRule<z.output<Input>>;
}

/** A row of the table of acts: entrances, document and client follow from it. `Sent`: what a client sends. */
export interface Act<Route extends string = string, Sent = unknown, Answered = unknown>
  extends ActTraits<Route>, ActInConsole<Answered> {
  readonly reason?: Reason;
  readonly method: string;
  readonly path: string;
  readonly schema: z.ZodType<{ readonly reason?: string | undefined }, Sent> | undefined;
  readonly answer: z.ZodType<Answered>;
  run(input: unknown, context: ActContext): Promise<Answered | Answer<Answered>>;
  readonly approval?: ApprovalRule<unknown> | undefined;
}

/** The type that zod gives to a shape without fields forbids every other field. */
type FieldsOf<Input extends z.ZodObject> = string extends keyof z.input<Input> ? unknown : z.input<Input>;

type ReasonField<Why extends Reason> = Why extends 'required'
  ? { readonly reason: string }
  : Why extends 'optional'
    ? { readonly reason?: string | undefined }
    : unknown;

export function act<
  const Route extends `${'GET' | 'POST'} /${string}`,
  Answered extends z.ZodType,
  Input extends z.ZodObject = z.ZodObject,
  const Why extends Reason = undefined,
>({
  input,
  ...definition
}: ActDefinition<Route, Input, Why, Answered>): Act<
  Route,
  FieldsOf<Input> & ReasonField<Why>,
  z.output<Answered>
> {
  const [method = '', path = ''] = definition.route.split(' ');
  const { reason } = definition;
  const schema = reason
    ? (input ?? z.strictObject({})).extend({
        reason: reason === 'required' ? requiredReason : optionalReason,
      })
    : input;
  const run = isTest ? checked(definition) : definition.run;
  return { ...definition, run, method, path, schema } as never;
}

/** Plaza's tests set it, for the processes that they start, too. */
// oxlint-disable-next-line node/no-process-env -- no setting of the network
const isTest = process.env['PLAZA_CHECK_ANSWERS'] === 'true';

const checked =
  ({ run, answer: shape }: Pick<Act, 'run' | 'answer'>): Act['run'] =>
  async (input, context) => {
    const answer = await run(input, context);
    shape.parse(answer instanceof Answer ? answer.body : answer);
    return answer;
  };

/** Its address in the console; undefined: it is not there. */
export function consolePathOf({ path, page, form }: Pick<Act, 'path' | 'page' | 'form'>): string | undefined {
  if (path === '/console' || path.startsWith('/console/')) return path;
  return page || form ? path.replace(/^\/operator\//, '/console/') : undefined;
}

/** An answer with a status or a content type of its own. */
export class Answer<Body = unknown> {
  constructor(
    readonly status: number,
    readonly body: Body,
    readonly contentType?: string,
  ) {}
}
