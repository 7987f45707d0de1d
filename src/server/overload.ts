import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ProcessMetrics } from '../base/telemetry/process-metrics.js';
import { clientRequestIdOf, REQUEST_ID } from './client-request-id.js';
import { isProtocolPath } from './error.filter.js';
import { addressBlock } from './limits/address-block.js';
import { isSocialPath } from './network-origin.js';
import { methodOf } from './observe-requests.js';
import { isRead } from './overload-refusals.js';
import type { PreparedRefusal } from './overload-refusals.js';

/** `restriction`: sign-out and revocation, too. `row`: every read but lists. */
const classes = ['restriction', 'mutation', 'page', 'row', 'authorization'] as const;

interface OverloadOptions {
  /** Most requests of a class in work at once. */
  readonly most: number;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly refusalOf: (request: IncomingMessage) => PreparedRefusal;
  readonly metrics: Pick<ProcessMetrics, 'shed' | 'refusals'>;
}

type Exchange = [request: IncomingMessage, response: ServerResponse];

/**
 * Refuses requests of a class with too many in work, before the listeners that `server` has so far
 * (docs/adr/0039-overload.md). A request is in work until its answer closes, or until {@link endWork}.
 */
export function shedOverload(server: Server, { most, addressOf, refusalOf, metrics }: OverloadOptions): void {
  const loads = new Map(classes.map((name) => [name, new Load(most)]));
  // Also before those that watch each request, which would cost as much as the refusal.
  const listeners = server.listeners('request') as ((...exchange: Exchange) => void)[];
  server.removeAllListeners('request');
  server.on('request', (...[request, response]: Exchange) => {
    const kind = classOf(request);
    const load = kind && loads.get(kind);
    const address = addressBlock(addressOf(request));
    if (kind && load?.hasPlaceFor(address) === false) {
      const { labels, fields, body } = refusalOf(request);
      metrics.refusals.inc({ ...labels });
      metrics.shed.inc({ request_class: kind, http_request_method: methodOf(request) });
      response.writeHead(503, [...fields, REQUEST_ID, clientRequestIdOf(request)]).end(body);
      return;
    }
    load?.occupy(address, request, response);
    for (const listener of listeners) listener(request, response);
  });
}

const ends = new WeakMap<ServerResponse, () => void>();

/** Call it for an answer that has begun and stays open for hours. */
export function endWork(response: ServerResponse): void {
  ends.get(response)?.();
}

class Load {
  private all = 0;
  private readonly ofAddress = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** From half of the bound on, an address has at most its share, and one share stays free for a further address. */
  hasPlaceFor(address: string): boolean {
    if (this.all < this.most / 2) return true;
    const own = this.ofAddress.get(address) ?? 0;
    return this.all < this.most && own < this.most / (this.ofAddress.size + 1);
  }

  occupy(address: string, request: IncomingMessage, response: ServerResponse): void {
    let isInWork = false;
    const setInWork = (now: boolean): void => {
      if (now !== isInWork) this.add(address, now ? 1 : -1);
      isInWork = now;
    };
    const end = (): void => {
      setInWork(false);
      ends.delete(response);
    };
    setInWork(true);
    ends.set(response, end);
    response.once('close', end);
    // Node emits no `close` for an answer that waits for an earlier one of its connection.
    if (response.socket === null) request.socket.once('close', end);
    if (!('content-length' in request.headers) && !('transfer-encoding' in request.headers)) return;
    // A body that is still on its way is no work: otherwise a few slow senders would hold all places.
    setImmediate(() => {
      if (request.complete || !ends.has(response)) return;
      setInWork(false);
      request.once('end', () => {
        if (ends.has(response)) setInWork(true);
      });
    });
  }

  private add(address: string, change: 1 | -1): void {
    this.all += change;
    const own = (this.ofAddress.get(address) ?? 0) + change;
    if (own > 0) this.ofAddress.set(address, own);
    else this.ofAddress.delete(address);
  }
}

const restriction =
  /^\/(?:readyz|api\/reports|api\/auth\/(?:account(?!\/(?:sign-(?:in|up)|second-step|recovery|history|(?:appeal\/)?data)(?:$|[/?]))|oauth2\/(?:revoke|end-session)))/;
const list =
  /^\/api\/(?:(?:timeline|inbox|relations|blocks|reconcile|events|actors)(?:$|\?)|(?:posts|actors)\/[^/?]+\/)/;

/** Undefined: never refused, since the answer decides if the process is restarted. */
function classOf(request: IncomingMessage): (typeof classes)[number] | undefined {
  const { method, url = '' } = request;
  if (url === '/livez') return undefined;
  const isBlock = method === 'PUT' && url.startsWith('/api/blocks/');
  if ((method === 'DELETE' && isSocialPath(url)) || isBlock || restriction.test(url)) return 'restriction';
  if (isProtocolPath(url)) return 'authorization';
  if (!isRead(request)) return 'mutation';
  return list.test(url) ? 'page' : 'row';
}
