import createClient from 'openapi-fetch';
import type { Client } from 'openapi-fetch';
import type { paths } from './schema.d.ts';

export type { components, operations, paths } from './schema.d.ts';

/** Answers the access token to send. Asked before each request, so that it can refresh it. */
export type TokenSource = () => string | Promise<string>;

/**
 * A client of the API that knows its operations, what each takes, and each answer that it may give. `schema.d.ts` is
 * generated from the published document: `npm run client`.
 * @param baseUrl of the network, without a slash at the end
 * @param token undefined: anonymous
 */
export function plazaClient(baseUrl: string, token?: TokenSource): Client<paths> {
  const client = createClient<paths>({ baseUrl });
  if (token)
    client.use({
      async onRequest({ request }) {
        request.headers.set('authorization', `Bearer ${await token()}`);
        return request;
      },
    });
  return client;
}
