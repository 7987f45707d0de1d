import type { Adapter, AdapterPayload } from 'oidc-provider';

export abstract class ReadOnlyAdapter implements Adapter {
  abstract find(id: string): Promise<AdapterPayload | undefined>;

  upsert(_id: string, _payload: AdapterPayload): Promise<void> {
    return reject();
  }

  destroy(_id: string): Promise<void> {
    return reject();
  }

  consume(_id: string): Promise<void> {
    return reject();
  }

  revokeByGrantId(_grantId: string): Promise<void> {
    return reject();
  }

  findByUid(_uid: string): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  findByUserCode(_code: string): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

const reject = () =>
  Promise.reject(new Error('the library must not write applications or grants; only commands change them'));
