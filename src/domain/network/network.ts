import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type { NetworkFounded, SigningKeyRotated } from './events.js';

export type NetworkEvent = NetworkFounded | SigningKeyRotated;

export type Network =
  { readonly status: 'none' } | { readonly status: 'founded'; readonly signingKeys: readonly string[] };

export const noNetwork: Network = { status: 'none' };

export function evolveNetwork(network: Network, event: NetworkEvent): Network {
  switch (event.type) {
    case 'network.founded':
      return { status: 'founded', signingKeys: [] };
    case 'network.signing_key_rotated':
      if (network.status === 'none') return network;
      return { ...network, signingKeys: [...network.signingKeys, event.data.keyId] };
  }
}

/** Each key is put down once. The stream's first event founds the network, so nothing may come before that. */
export function rotateSigningKey(
  network: Network,
  rotation: SigningKeyRotated['data'],
): Decision<SigningKeyRotated> {
  if (network.status === 'none') return notFounded();
  if (network.signingKeys.includes(rotation.keyId)) return [];
  return [{ type: 'network.signing_key_rotated', data: rotation }];
}

export function notFounded(): Refusal {
  return new Refusal(
    'recovery_state_missing',
    'The network is not founded yet: start a projector, then try again.',
  );
}
