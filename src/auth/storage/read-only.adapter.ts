import type { Adapter, AdapterPayload } from 'oidc-provider';

/** A store that the library may read; whatever it may do besides is named by who extends this. */
export abstract class ReadOnlyAdapter implements Adapter {
  abstract find(id: string): Promise<AdapterPayload | undefined>;

  upsert(_id: string, _payload: AdapterPayload): Promise<void> {
    return refuse();
  }

  destroy(_id: string): Promise<void> {
    return refuse();
  }

  consume(_id: string): Promise<void> {
    return refuse();
  }

  revokeByGrantId(_grantId: string): Promise<void> {
    return refuse();
  }

  findByUid(_uid: string): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  findByUserCode(_code: string): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

const refuse = () => Promise.reject(new Error('Commands write here, never the library.'));
