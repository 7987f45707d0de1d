import { describe, expect, it } from '@jest/globals';
import type { OperationAtPath, OperationObject } from '../../openapi/openapi.js';
import { samplesOf } from './samples.js';

const named = { StoneKind: { enum: ['quartz', 'flint'] } };

function samples(method: OperationAtPath['method'], path: string, more: Partial<OperationObject>) {
  const common = { tags: [], summary: '', parameters: [], responses: {}, security: [{ network: [] }] };
  const operation: OperationObject = { operationId: 'takeStone', ...common, ...more };
  return samplesOf({ method, path, operation }, 'https://plaza.example', named);
}

describe('the samples of an operation', () => {
  it('name values that differ for each reader, and take others from the document', () => {
    const { curl, typescript } = samples('delete', '/api/stones/{id}/{kind}', {
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'kind', in: 'path', required: true, schema: { $ref: '#/components/schemas/StoneKind' } },
        { name: 'intentId', in: 'query', required: true, schema: { type: 'string' } },
        { name: 'revision', in: 'query', required: true, schema: { type: 'string' } },
        { name: 'limit', in: 'query', required: false, schema: { type: 'integer' } },
        { name: 'handle', in: 'query', required: false, schema: { type: 'string', examples: ['a b'] } },
      ],
    });
    expect(curl)
      .toBe(`curl "https://plaza.example/api/stones/$STONE_ID/quartz?intentId=takeStone-1&revision=1&handle=a%20b" \\
  -X DELETE \\
  -H "Authorization: Bearer $TOKEN"`);
    expect(typescript).toBe(`import { plaza } from './plaza.ts';

const { STONE_ID = '' } = process.env;
const { data, error } = await plaza.DELETE('/api/stones/{id}/{kind}', {
  params: {
    path: { id: STONE_ID, kind: 'quartz' },
    query: { intentId: 'takeStone-1', revision: '1', handle: 'a b' },
  },
});
if (error) throw new Error(error.error);
console.log(data);`);
  });

  it('send a body as JSON, whose texts need no backslash', () => {
    const example = { intentId: 'i-1', stoneId: 'x', text: "It's “here”" };
    const { curl, typescript } = samples('post', '/api/stones', {
      requestBody: { required: true, content: { 'application/json': { schema: {}, example } } },
    });
    expect(curl).toBe(`curl "https://plaza.example/api/stones" \\
  -H "Authorization: Bearer $TOKEN" \\
  --json @- <<EOF
{
  "intentId": "i-1",
  "stoneId": "$STONE_ID",
  "text": "It's “here”"
}
EOF`);
    expect(typescript).toContain(
      String.raw`  body: { intentId: 'i-1', stoneId: STONE_ID, text: 'It\'s “here”' },`,
    );
  });

  it('send a form as the application', () => {
    const content = {
      'application/x-www-form-urlencoded': { schema: {}, example: { token: 't', hint: 'x' } },
    };
    const { curl, typescript } = samples('post', '/api/auth/forget', {
      security: [{ client: [] }],
      requestBody: { required: true, content },
    });
    expect(curl).toBe(`curl "https://plaza.example/api/auth/forget" \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  --data-urlencode "token=$TOKEN" \\
  --data-urlencode "hint=x"`);
    expect(typescript).toContain("const { CLIENT_ID, CLIENT_SECRET, TOKEN = '' } = process.env;");
    expect(typescript).toContain('Authorization: `Basic ${basic}`');
  });
});
