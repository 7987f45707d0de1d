import { createHash } from 'node:crypto';
import { ChangeApproval } from '../../../commands/approval/change-approval.js';
import type { ApprovalStep } from '../../../commands/approval/change-approval.js';
import {
  APPROVAL_MS,
  evolveApproval,
  executedAlready,
  giveApproval,
  noApproval,
  useApproval,
} from '../../../domain/approval/approval.js';
import type { Approval } from '../../../domain/approval/approval.js';
import { ENOUGH, handlingOf, handlingOfShared } from '../../../domain/four-eyes/handling.js';
import type { ApprovalEvent } from '../../../domain/approval/events.js';
import type { ChangeResult } from '../../../commands/support/write-side.js';
import { isChange } from '../../../commands/support/handle-command.js';
import { Refusal } from '../../../domain/refusal.js';
import type { Decision } from '../../../domain/refusal.js';
import { HttpRefusal, httpStatusOf } from '../../../server/errors.js';
import type { EventMetadata } from '../../../log/recorded.js';
import { readNewest } from '../../../log/read-newest.js';
import { streams } from '../../../log/streams.js';
import { Answer } from '../act.js';
import type {
  Act,
  ActContext,
  ApprovalDesk,
  ApprovalPreview,
  ApprovalRule,
  CarriedOut,
  ShownFacts,
} from '../act.js';
import { isAdmitted, requireAdmission } from '../admission.js';
import { ownIdOf } from '../caller.js';
import type { Caller } from '../caller.js';
import { parse } from '../schemas.js';
import type { ActServices } from '../services.js';
import { AwaitedApproval } from './awaited-approval.js';
import { contentOf, readContent } from './content.js';
import type { Content } from './content.js';
import { findWaiting } from './listed.js';
import type { ApprovalWords } from './words.js';

interface ApprovalChange {
  readonly approvalId: string;
  readonly operatorId: string;
}

interface Requested {
  readonly approval: Approval;
  readonly digest: string;
  readonly content: Content;
  readonly act: Act & { readonly approval: ApprovalRule<unknown> };
}

/** Holds back the acts that need an approval, and executes each of them once, after another operator gave it. */
export class Approvals implements ApprovalDesk {
  private readonly acts: ReadonlyMap<string, Act>;

  constructor(
    private readonly services: ActServices,
    table: readonly Act[],
  ) {
    this.acts = new Map(table.map((row) => [row.name, row]));
  }

  /**
   * Returns the answer of the act, or an {@link AwaitedApproval}.
   * @throws {HttpRefusal} `capability_required`: the shared token, or an operator who does not count yet; errors of the act and
   * of its preview.
   */
  async perform(act: Act, input: unknown, context: ActContext): Promise<unknown> {
    const { approval: rule } = act;
    const { caller } = context;
    if (act.endsOperator && caller.kind === 'operator')
      await this.services.fourEyes.requireManager(caller.operatorId);
    const isCovered = rule && rule.covers?.(input) !== false;
    const limit = isCovered ? await this.services.fourEyes.batchItems() : undefined;
    if (!rule || limit === undefined) return act.run(input, context);
    if (rule.restricts) return this.restrict(act, rule.restricts, limit, input, context);
    const handling = await this.handlingOf(rule, input, caller);
    if (handling === 'run') return act.run(input, context);
    const preview = await rule.preview(input, context);
    if (!preview) return act.run(input, { ...context, isUncovered: true });
    if (handling === 'refuse') await this.requireEstablished(act, caller);
    return this.request(act, preview, input, context);
  }

  private async restrict(
    act: Act,
    restricts: NonNullable<ApprovalRule<unknown>['restricts']>,
    limit: number,
    input: unknown,
    context: ActContext,
  ): Promise<unknown> {
    await this.requireEstablished(act, context.caller);
    const operatorId = ownIdOf(context.caller);
    const { metadata } = context;
    const count = await restricts(input, context);
    if (count === 0) return act.run(input, context);
    const { allowances } = this.services;
    const reservationId = await allowances.reserve(operatorId, { count, limit }, metadata);
    if (reservationId !== undefined)
      return this.returnUnused(act.run(input, context), () =>
        allowances.release(operatorId, reservationId, metadata),
      );
    const preview = await act.approval?.preview(input, context);
    if (!preview) throw new Error(`an approval of ${act.name} has no preview`);
    return this.request(act, preview, input, context);
  }

  private async returnUnused(running: Promise<unknown>, release: () => Promise<void>): Promise<unknown> {
    try {
      const answer = await running;
      if ((answer as { readonly changed?: boolean }).changed === false) await release();
      return answer;
    } catch (error) {
      if (isByTheRules(error)) await release();
      throw error;
    }
  }

  private async handlingOf(rule: ApprovalRule<unknown>, input: unknown, caller: Caller) {
    const { fourEyes } = this.services;
    if (caller.kind === 'operator')
      return handlingOf({ isEstablished: await fourEyes.isEstablished(caller.operatorId) });
    const isEmergency = rule.isEmergency?.(input) ?? false;
    return handlingOfShared(
      isEmergency,
      isEmergency ? (await fourEyes.established()).administrators : ENOUGH,
    );
  }

  /** A newer release may know other acts. */
  readonly wordsOf = (act: string, facts: ShownFacts): ApprovalWords =>
    this.acts.get(act)?.approval?.words(facts) ?? {
      asks: `Another release's act, ${act}`,
      does: 'This release does not know it: open the request in a process of the other one.',
      about: null,
    };

  async give(approvalId: string, digest: string, { caller, metadata }: ActContext): Promise<ChangeResult> {
    const change = { approvalId, operatorId: ownIdOf(caller), digest };
    const at = this.services.clock.now();
    const decide = (approval: Approval) => giveApproval(approval, { ...change, at });
    const requested = await this.read(approvalId, decide);
    requireAdmission(requested.act, caller);
    const decision = decide(requested.approval);
    if (decision instanceof Refusal) throw decision;
    await this.requireEntitled(change.operatorId, requested.act, 'You are');
    await this.requireEntitled(
      requested.approval.request?.operatorId ?? '',
      requested.act,
      'Who requested it is',
    );
    if (decision.length > 0) await this.requireUnchanged(requested, change, metadata);
    return this.change({ type: 'approval.given', data: change }, metadata);
  }

  async refuse(approvalId: string, { caller, metadata }: ActContext): Promise<ChangeResult> {
    const { act, approval } = await this.read(approvalId);
    const operatorId = ownIdOf(caller);
    if (approval.request?.operatorId !== operatorId) requireAdmission(act, caller);
    return this.change({ type: 'approval.refused', data: { approvalId, operatorId } }, metadata);
  }

  async carryOut(approvalId: string, context: ActContext): Promise<CarriedOut> {
    const change = { approvalId, operatorId: ownIdOf(context.caller) };
    const at = this.services.clock.now();
    const decide = (approval: Approval) => useApproval(approval, { ...change, at });
    const requested = await this.read(approvalId, decide);
    const { act, approval, content } = requested;
    requireAdmission(act, context.caller);
    const decision = decide(approval);
    if (decision instanceof Refusal) throw decision;
    await this.requireEntitled(change.operatorId, act, 'You are');
    await this.requireEntitled(approval.approverId ?? '', act, 'Who approved it is');
    const isDone = decision.length === 0 && (await this.hasItsEvent(requested, approvalId));
    if (!isDone) await this.requireUnchanged(requested, change, context.metadata);
    const metadata = {
      ...context.metadata,
      reason: content.input.reason,
      cause: streams.approval(approvalId),
    };
    await this.change({ type: 'approval.used', data: change }, metadata);
    if (isDone && !act.approval.isRepeatable) {
      await this.change({ type: 'approval.carried_out', data: change }, metadata);
      throw executedAlready();
    }
    const input = act.schema && parse(act.schema, content.input);
    const running = act.run(input, { ...context, metadata, params: content.params, approvalId });
    const result = await (isDone ? running : this.voidedIfRefused(running, change, metadata));
    await this.change({ type: 'approval.carried_out', data: change }, metadata);
    const { asks } = act.approval.words(content.facts);
    return { approvalId, act: act.name, asks, result: result instanceof Answer ? result.body : result };
  }

  /** A process that was killed may have done the act. */
  private hasItsEvent({ act, content }: Requested, approvalId: string): Promise<boolean> {
    const { log } = this.services;
    const find = async () =>
      (await log.read(act.approval.streamOf(content.params, approvalId))).some(
        ({ metadata: { cause } }) => cause === streams.approval(approvalId),
      );
    return readNewest(log, find, (found) => found);
  }

  /** After a refusal by the rules the request is void: nobody approved what a later attempt would do. */
  private async voidedIfRefused(
    running: Promise<unknown>,
    change: ApprovalChange,
    metadata: EventMetadata,
  ): Promise<unknown> {
    try {
      return await running;
    } catch (error) {
      if (isByTheRules(error)) await this.change({ type: 'approval.voided', data: change }, metadata);
      throw error;
    }
  }

  /** The same request of the same operator is made once. */
  private async request(
    { name: act }: Act,
    preview: ApprovalPreview,
    input: unknown,
    { caller, metadata, params }: ActContext,
  ): Promise<AwaitedApproval> {
    const contentWith = (salt: string) => contentOf({ params, input, preview, salt });
    const { store, clock, ids } = this.services;
    const operatorId = ownIdOf(caller);
    const waiting = await findWaiting(store, { operatorId, act, now: clock.now() });
    const same = waiting.find(({ content }) => content === contentWith(readContent(content).salt));
    const content = same?.content ?? contentWith(ids.random());
    const digest = digestOf(act, content);
    const { facts } = readContent(content);
    const { approvalId, expiresAt } = same ?? {
      approvalId: ids.random(),
      expiresAt: clock.now() + APPROVAL_MS,
    };
    const data = { approvalId, operatorId, act, content, digest, expiresAt };
    if (!same) await this.change({ type: 'approval.requested', data }, metadata);
    const { asks } = this.wordsOf(act, facts);
    return new AwaitedApproval({ approvalId, expiresAt, digest, act, asks, facts });
  }

  /** `decide`: the caller throws its refusal. Undefined: the caller's command decides. */
  private async read(
    approvalId: string,
    decide?: (approval: Approval) => Decision<ApprovalEvent>,
  ): Promise<Requested> {
    const requested = await readNewest(
      this.services.log,
      () => this.find(approvalId),
      (found) => found !== undefined && (!decide || isChange(decide(found.approval))),
    );
    if (!requested) throw new HttpRefusal('not_found', 'There is no such request.');
    return requested;
  }

  private async find(approvalId: string): Promise<Requested | undefined> {
    const recorded = await this.services.log.read(streams.approval(approvalId));
    const approval = recorded.reduce(
      (older, { event }) => evolveApproval(older, event as ApprovalEvent),
      noApproval,
    );
    const { request } = approval;
    const act = this.acts.get(request?.act ?? '');
    if (!request || !act?.approval || request.content === '') return undefined;
    const { digest, content } = request;
    return { approval, digest, content: readContent(content), act: { ...act, approval: act.approval } };
  }

  /** `is`: begin of the message. */
  private async requireEntitled(operatorId: string, act: Act, is: string): Promise<void> {
    const { fourEyes } = this.services;
    const roles = await fourEyes.rolesOf(operatorId);
    const isEntitled =
      isAdmitted(act, { kind: 'operator', operatorId, roles }) && (await fourEyes.isEstablished(operatorId));
    if (isEntitled) return;
    throw new HttpRefusal(
      'capability_required',
      `${is} suspended, may no longer do this, or does not count as a second person yet (plaza operator list): another operator must approve it.`,
    );
  }

  private async requireEstablished(act: Act, caller: Caller): Promise<void> {
    if (caller.kind !== 'operator')
      throw new HttpRefusal(
        'capability_required',
        `Four-eyes is on, and the shared token neither requests nor approves (${act.name}): use personal tokens of two operators.`,
      );
    const from = await this.services.fourEyes.establishedFrom(caller.operatorId);
    if (from !== undefined && from <= this.services.clock.now()) return;
    throw new HttpRefusal(
      'capability_required',
      `Four-eyes is on, and you joined without a second person, so you may not do this yet (${act.name}): ${
        from === undefined
          ? 'another administrator must confirm you (plaza operator confirm).'
          : `wait until ${new Date(from).toISOString()}, or two administrators confirm you (plaza operator confirm).`
      }`,
    );
  }

  /** Voids the request for good if the act would do something else than its preview showed. */
  private async requireUnchanged(
    { act, digest, content }: Requested,
    { approvalId, operatorId }: ApprovalChange,
    metadata: EventMetadata,
  ): Promise<void> {
    const { services } = this;
    const { params, salt } = content;
    const input = act.schema && parse(act.schema, content.input);
    const compare = async () => {
      const preview = await undefinedIfGone(act.approval.preview(input, { services, params }));
      return preview && digestOf(act.name, contentOf({ params, input, preview, salt })) === digest;
    };
    if (await readNewest(services.log, compare, (isSame) => isSame === true)) return;
    await this.change({ type: 'approval.voided', data: { approvalId, operatorId } }, metadata);
    throw new HttpRefusal(
      'effect_mismatch',
      'The act would do something else by now than its preview showed, so this request is void. Request it anew.',
    );
  }

  private change(step: ApprovalStep, metadata: EventMetadata): Promise<ChangeResult> {
    return this.services.commands.execute(new ChangeApproval(step, metadata));
  }
}

const digestOf = (act: string, content: string): string =>
  createHash('sha256')
    .update(JSON.stringify([act, content]))
    .digest('hex');

/** Undefined: the subject of the act is no longer what it was. Faults of stores stay what they are. */
async function undefinedIfGone(
  preview: Promise<ApprovalPreview | undefined>,
): Promise<ApprovalPreview | undefined> {
  try {
    return await preview;
  } catch (error) {
    if (isRefusal(error) && (error.code === 'not_found' || error.code === 'effect_mismatch'))
      return undefined;
    throw error;
  }
}

const isRefusal = (error: unknown): error is Refusal | HttpRefusal =>
  error instanceof Refusal || error instanceof HttpRefusal;

/** Not by an outage, after which the act may be repeated. */
const isByTheRules = (error: unknown): boolean =>
  isRefusal(error) && (httpStatusOf[error.code] < 500 || error.code === 'recovery_quarantined');
