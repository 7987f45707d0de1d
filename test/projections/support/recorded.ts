import { randomUUID } from 'node:crypto';
import type { Recorded } from '../../../src/log/recorded.js';
import type { EventOf, EventType, StoredEvent } from '../../../src/log/registry.js';

/** Bytes from one event to the next. Positions are byte offsets: increasing and sparse. */
const EVENT_BYTES = 100n;

/** Records events one behind the other, as a log would. Each stream is named by what its events are about. */
export class Recorder {
  private position = 0n;
  private readonly revisions = new Map<string, bigint>();

  record<Event extends StoredEvent>(
    event: Event,
    options: { readonly erased?: boolean } = {},
  ): Recorded<Event> {
    const stream = streamOf(event);
    const revision = (this.revisions.get(stream) ?? -1n) + 1n;
    this.revisions.set(stream, revision);
    this.position += EVENT_BYTES;
    return {
      id: randomUUID(),
      stream,
      revision,
      position: this.position,
      event,
      metadata: { requestId: 'test' },
      erased: options.erased ?? false,
    };
  }
}

function streamOf({ type, data }: StoredEvent): string {
  if ('postId' in data) return `post-${data.postId}`;
  if ('grantId' in data) return `grant-${data.grantId}`;
  if ('appId' in data) return `application-${data.appId}`;
  if ('actorId' in data) return `account-${data.actorId}`;
  return type === 'network.founded' ? 'network' : type;
}

/** An event of each type, with what a test does not care about filled in. */
export const some = {
  account: (actorId: string, data: Partial<EventOf<'account.registered'>['data']> = {}) =>
    event('account.registered', {
      actorId,
      handle: `${actorId}_handle`,
      displayName: `The ${actorId}`,
      email: `${actorId}@example.org`,
      at: 1_000,
      ...data,
    }),
  application: (appId: string, data: Partial<EventOf<'application.registered'>['data']> = {}) =>
    event('application.registered', {
      appId,
      name: `App ${appId}`,
      redirectUris: [],
      scopes: [],
      at: 1_000,
      ...data,
    }),
  post: (postId: string, data: Partial<EventOf<'post.created'>['data']> = {}) =>
    event('post.created', {
      postId,
      authorActorId: 'ada',
      appId: 'app',
      text: `text of ${postId}`,
      audience: 'public',
      at: 2_000,
      ...data,
    }),
  deletion: (postId: string, data: Partial<EventOf<'post.deleted'>['data']> = {}) =>
    event('post.deleted', { postId, authorActorId: 'ada', at: 3_000, ...data }),
  claim: (actorId: string) => event('handle.claimed', { actorId, at: 1_000 }),
  grant: (grantId: string) =>
    event('grant.issued', { grantId, appId: 'app', actorId: 'ada', scopes: ['read'], at: 1_000 }),
  revocation: (grantId: string) =>
    event('grant.revoked', { grantId, appId: 'app', actorId: 'ada', cause: 'person', at: 1_000 }),
  founding: (networkId: string) => event('network.founded', { networkId, at: 500 }),
};

function event<Type extends EventType>(type: Type, data: EventOf<Type>['data']): EventOf<Type> {
  return { type, data } as EventOf<Type>;
}
