import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readConfig } from '../../../src/base/config/config.js';
import { operatorClient } from '../../support/operator-client.js';
import type { TestNetwork } from '../../support/network.js';

/** An application with its own server, so that browsers return to a page that loads. */
export interface LocalApplication {
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** Return address after sign-out. */
  readonly signedOutUri: string;
  /** Serves a further page and returns its address. */
  serve(path: string, html: string): string;
  stop(): Promise<void>;
}

export async function startApplication(
  network: Pick<TestNetwork, 'env'>,
  name = 'Pebble',
): Promise<LocalApplication> {
  const pages = new Map([
    ['/callback', '<!doctype html><title>Back</title><h1>Back at the application</h1>'],
    ['/signed-out', '<!doctype html><title>Bye</title><h1>Signed out</h1>'],
  ]);
  const server = createServer((request, response) => {
    const page = pages.get(new URL(request.url ?? '', 'http://x').pathname);
    // Browsers also request an icon.
    response.writeHead(page === undefined ? 204 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const redirectUri = `${origin}/callback`;
  const signedOutUri = `${origin}/signed-out`;
  const registered = await operatorOf(network).post('applications', {
    name,
    redirectUris: [redirectUri],
    postLogoutRedirectUris: [signedOutUri],
    scopes: ['openid', 'offline_access', 'read', 'post:create'],
  });
  return {
    name,
    ...registered,
    redirectUri,
    signedOutUri,
    serve(path, html) {
      pages.set(path, html);
      return origin + path;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

export const password = 'correct horse battery';

/** A handle that is unique on the shared network. */
export const newHandle = (name: string): string => `${name}_${randomBytes(5).toString('hex')}`;

export const createPerson = (network: Pick<TestNetwork, 'env'>, handle: string, displayName: string) =>
  operatorOf(network).post('accounts', { handle, displayName, email: `${handle}@example.org`, password });

/** Returns the handle. */
export async function createAccount(
  network: Pick<TestNetwork, 'env'>,
  handle: string,
  displayName = `${handle[0]?.toUpperCase()}${handle.slice(1)} Example`,
): Promise<string> {
  await createPerson(network, handle, displayName);
  return handle;
}

const operatorOf = (network: Pick<TestNetwork, 'env'>) => operatorClient(readConfig(network.env));
