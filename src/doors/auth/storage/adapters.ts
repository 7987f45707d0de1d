import type { CommandBus } from '@nestjs/cqrs';
import type { AdapterFactory } from 'oidc-provider';
import type { AuthorityStore } from '../../../base/store/authority/authority-store.js';
import { ClientAdapter } from './client.adapter.js';
import { GrantAdapter } from './grant.adapter.js';
import { interactionPayload, plainPayload, sessionPayload } from './payload-codec.js';
import { RecordAdapter } from './record.adapter.js';

export function createAdapterFactory(
  store: AuthorityStore,
  commands: CommandBus,
  returnTo: (uid: string) => string,
): AdapterFactory {
  return (kind) => {
    switch (kind) {
      case 'Client':
        return new ClientAdapter(store);
      case 'Grant':
        return new GrantAdapter(store, commands);
      case 'Interaction':
        return new RecordAdapter(kind, store, interactionPayload(returnTo));
      case 'Session':
        return new RecordAdapter(kind, store, sessionPayload);
      default:
        return new RecordAdapter(kind, store, plainPayload);
    }
  };
}
