/** @slow */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { registerApplication } from '../support/api.js';
import type { SignedIn } from '../support/api.js';
import { personWithToken } from '../support/people.js';
import { sharedNetwork } from '../support/shared-network.js';
import type { SharedNetwork } from '../support/shared-network.js';
import { dotnet, journeyOf, typescript } from './support/generators.js';

const directory = mkdtempSync(join(tmpdir(), 'plaza-clients-'));
const document = '../openapi.json';
// Before the cases are named: the name of one that is not run says why.
const [lackingTypescript, lackingDotnet] = await Promise.all(
  [typescript, dotnet].map((each) => each.install(directory)),
);

// Jest runs no hooks where it runs no case.
if (lackingTypescript !== undefined && lackingDotnet !== undefined) rmSync(directory, { recursive: true });

let network: SharedNetwork;
let ada: SignedIn;

beforeAll(async () => {
  network = await sharedNetwork();
  ada = await personWithToken(network, await registerApplication(network));
  const served = await fetch(`${network.baseUrl}/api/openapi.json`);
  writeFileSync(join(directory, 'openapi.json'), await served.text());
});

afterAll(() => rmSync(directory, { recursive: true }));

const clients = [
  {
    name: 'openapi-typescript',
    toolchain: typescript,
    lacking: lackingTypescript,
    journey: 'openapi-typescript.ts.txt',
    generate: `openapi-typescript ${document} --output schema.d.ts`,
  },
  {
    name: 'hey-api',
    toolchain: typescript,
    lacking: lackingTypescript,
    journey: 'hey-api.ts.txt',
    generate: `openapi-ts --input ${document} --output client`,
  },
  {
    name: 'Kiota',
    toolchain: dotnet,
    lacking: lackingDotnet,
    journey: 'Kiota.cs',
    generate:
      `kiota generate --language CSharp --openapi ${document} --output client ` +
      '--namespace-name Network --class-name ApiClient',
  },
  {
    name: 'NSwag',
    toolchain: dotnet,
    lacking: lackingDotnet,
    journey: 'NSwag.cs',
    generate:
      `nswag openapi2csclient /input:${document} /output:Client.cs ` +
      '/namespace:Network /generateOptionalParameters:true',
  },
] as const;

for (const { name, toolchain, lacking, journey, generate } of clients)
  (lacking === undefined ? describe : describe.skip)(
    `a client made by ${name}${lacking === undefined ? '' : ` (${lacking})`}`,
    () => {
      it('compiles, and is right from its first call on', async () => {
        const env = { BASE_URL: network.baseUrl, TOKEN: ada.token, INTENT_ID: randomUUID() };
        const printed = await journeyOf(toolchain, directory, journey, generate, env);
        const [session, timeline] = await Promise.all([ada.get('/api/session'), ada.get('/api/timeline')]);
        const { actorId, appId, expiresAt } = session.body;
        const { id, text, createdAt } = timeline.body.posts[0];
        expect(expiresAt).toBeGreaterThan(2 ** 31);
        expect(printed).toEqual({
          session: { actorId, appId, expiresAt },
          post: { id, revision: 1, status: 'published' },
          shown: { text, createdAt },
          missing: { status: 404, error: 'post_unavailable' },
          conflict: { status: 409, error: 'intent_conflict' },
          created: [id],
        });
      });
    },
  );
