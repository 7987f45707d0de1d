import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { EndPoint } from '@eventstore/db-client';
import type { EventStoreConnection } from '../../base/config/event-store-files.js';
import type { AddressOptions } from '../../base/config/event-store-options.js';

/** Limit of one TLS handshake. `/readyz` waits for it, and must answer before load balancers give up. */
const HANDSHAKE_MS = 400;

const SPEAKS_TLS = 'The event store speaks TLS, and EVENTSTORE_URL has tls=false: remove it.';
const OTHER_NAME =
  'The certificate of the event store is for other hosts than those that EVENTSTORE_URL or the cluster names: use names that are in it, or issue one with these names.';

const messageByCode: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'The certificate of the event store has expired: renew it on the server.',
  CERT_NOT_YET_VALID:
    'The certificate of the event store is not valid yet: compare the clocks of the server and of this machine.',
  ERR_TLS_CERT_ALTNAME_INVALID: OTHER_NAME,
  ERR_SSL_WRONG_VERSION_NUMBER:
    'The event store does not speak TLS: set it up there, or add tls=false to EVENTSTORE_URL.',
};

const networkError = /^(?:E[A-Z]+|EAI_[A-Z]+)?$/;

/** Codes of OpenSSL for a certificate whose issuer is not trusted (X509_STORE_CTX_get_error(3)). */
const untrustedIssuerCodes: ReadonlySet<string> = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * @returns The TLS fault with its remedy, in a fixed sentence; undefined: a host accepts a handshake, or none shows a
 * TLS fault. The hosts are tried directly, because the client does not say why no node of a cluster answers.
 * `messages`: errors of the client about nodes whose names come from the cluster.
 */
export async function tlsFault(
  connection: EventStoreConnection,
  messages: readonly string[],
): Promise<string | undefined> {
  if (messages.some((message) => message.includes("does not match certificate's altnames")))
    return OTHER_NAME;
  const results = await Promise.all(connection.hosts.map((host) => handshake(host, connection)));
  if (results.includes('ok')) return undefined;
  for (const each of results) if (typeof each === 'object') return each.fault;
  return undefined;
}

type Handshake = 'ok' | 'unreachable' | { readonly fault: string };

function handshake({ address: host, port }: EndPoint, connection: EventStoreConnection): Promise<Handshake> {
  const { options, files } = connection;
  const asksForTls = options.tls !== false;
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port,
      // RFC 6066, section 3: an IP address is no server name.
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ['h2'],
      timeout: HANDSHAKE_MS,
      rejectUnauthorized: asksForTls,
      ca: files.rootCertificate,
      cert: files.userCertFile,
      key: files.userKeyFile,
    });
    const end = (result: Handshake): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once('secureConnect', () => end(asksForTls ? 'ok' : { fault: SPEAKS_TLS }));
    socket.once('timeout', () => end('unreachable'));
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
      end(asksForTls && !networkError.test(code) ? { fault: messageFor(code, options) } : 'unreachable'),
    );
  });
}

function messageFor(code: string, { tlsCAFile }: AddressOptions): string {
  if (untrustedIssuerCodes.has(code))
    return tlsCAFile === undefined
      ? 'The certificate of the event store is signed by a CA that this machine does not trust: name that CA with tlsCAFile in EVENTSTORE_URL.'
      : 'The certificate of the event store is not signed by the CA that tlsCAFile in EVENTSTORE_URL names: name the CA that signed it.';
  return (
    messageByCode[code] ??
    `TLS with the event store fails (${code}): compare its settings with EVENTSTORE_URL.`
  );
}
