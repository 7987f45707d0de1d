import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { intentOutcomes } from '../../../../../projections/intents/intents.read-model.js';
import { ProtectedReads } from '../../admission/protected-reads.js';
import type { ReadRequest, ReadRule } from '../../admission/protected-reads.js';
import { intentId } from '../../requests/fields.js';
import { Operation } from '../../openapi/operation.js';
import type { AnswerOf } from '../../openapi/operation.js';
import { ReadParameters } from '../../requests/read-request.js';
import { exampleIntentOutcomes, intentOutcome } from './intent-outcome.resource.js';

const bearer: ReadRule = { scope: 'read', anonymous: false };

const lookup = z
  .strictObject({
    intentIds: z
      .array(intentId, 'must be a list of intentIds')
      .min(1, 'must name at least one intent')
      .max(200, 'must name at most 200 intents'),
  })
  .meta({ id: 'IntentLookup' });

const outcomes = z
  .strictObject({
    intents: z
      .array(intentOutcome)
      .describe('One outcome for each requested intent, in the order of the request.'),
  })
  .meta({ id: 'IntentOutcomes' });

/** Tells clients the outcomes of mutations whose answers they lost, so that they need not repeat them. */
@Controller('api/intents')
export class IntentsController {
  constructor(private readonly reads: ProtectedReads) {}

  @Post('lookup')
  @HttpCode(200)
  @Operation({
    id: 'lookUpIntents',
    summary: "Look up outcomes of the caller's intents",
    description:
      'Only intents of the actor and the application of the token. `unknown`: not executed at the revision of ' +
      'the answer, or without effect. The lookup is a read: it takes no intentId and counts as one read.',
    access: bearer,
    answer: outcomes,
    example: { intents: exampleIntentOutcomes },
    bodyExample: { intentIds: ['post-1', 'follow-ana-1'] },
    errors: ['intent_required'],
  })
  async lookUp(
    @Body({ schema: lookup }) { intentIds }: z.infer<typeof lookup>,
    @ReadParameters() request: ReadRequest,
  ): Promise<AnswerOf<typeof outcomes>> {
    const { result } = await this.reads.read(request, bearer, intentOutcomes, { intentIds });
    return { intents: result };
  }
}
