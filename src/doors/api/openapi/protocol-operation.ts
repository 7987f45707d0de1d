import { headersOf } from './header-objects.js';
import { headerParameters } from './header-parameters.js';
import type { MediaTypes, OperationObject } from './openapi.js';
import type { DocumentedProtocolEndpoint } from './protocol-endpoints.js';
import { limitHeaderNames, protocolRefusalResponses } from './refusal-responses.js';
import type { Schemas } from './schemas.js';

export function protocolOperation(endpoint: DocumentedProtocolEndpoint, schemas: Schemas): OperationObject {
  const {
    id,
    summary,
    description,
    security = {},
    form,
    answers,
    hasBudget = false,
    limits = '',
    refusals,
  } = endpoint;
  const content = (type: string, { schema, example }: NonNullable<typeof form>): MediaTypes => ({
    [type]: { schema: schemas.of(schema), example },
  });
  return {
    operationId: id,
    tags: ['auth'],
    summary,
    ...(description !== undefined && { description }),
    security: [security],
    parameters: headerParameters([], schemas),
    ...(form && {
      requestBody: { required: true, content: content('application/x-www-form-urlencoded', form) },
    }),
    responses: {
      200: {
        description: 'Done.',
        ...headersOf(hasBudget ? limitHeaderNames : []),
        ...(answers && { content: content(answers.type ?? 'application/json', answers) }),
      },
      ...protocolRefusalResponses(refusals, hasBudget, limits),
    },
  };
}
