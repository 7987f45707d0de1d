import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import type { OpenAPI3 } from 'openapi-typescript';
import { format } from 'oxfmt';
import type { FormatConfig } from 'oxfmt';
import { HttpModule } from '../../src/doors/api/http.module.js';
import { documentOf } from '../../src/doors/api/openapi/document.js';

const committed = new URL('../../client/schema.d.ts', import.meta.url);

it('the committed typed client is what `npm run client` generates', async () => {
  const document = documentOf(HttpModule, 'http://localhost:3000');
  // As served: JSON drops undefined members.
  const served = JSON.parse(JSON.stringify(document)) as OpenAPI3;
  const generated = COMMENT_HEADER + astToString(await openapiTS(served));
  const style = JSON.parse(
    readFileSync(new URL('../../.oxfmtrc.json', import.meta.url), 'utf8'),
  ) as FormatConfig;
  const { code, errors } = await format('schema.d.ts', generated, style);
  expect(errors).toEqual([]);
  expect(readFileSync(committed, 'utf8')).toBe(code);
});
