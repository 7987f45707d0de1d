import { Refusal } from '../refusal.js';
import type { Decision } from '../refusal.js';
import type {
  BackupBegun,
  NetworkFounded,
  NetworkRestored,
  PublishingPaused,
  PublishingResumed,
  RebuildRequested,
  RecoveryApplied,
  RecoveryRolledBack,
  SharedTokenLimited,
  SigningKeyRotated,
} from './events.js';

export type ReadModelOperation = RebuildRequested | RecoveryApplied | RecoveryRolledBack;

export type NetworkEvent =
  | NetworkFounded
  | SigningKeyRotated
  | PublishingPaused
  | PublishingResumed
  | BackupBegun
  | NetworkRestored
  | SharedTokenLimited
  | ReadModelOperation;

export type Network =
  | { readonly status: 'none' }
  | {
      readonly status: 'founded';
      readonly signingKeys: readonly string[];
      readonly publishing: 'open' | 'paused';
      readonly restores: readonly string[];
      readonly sharedToken: 'full' | 'limited';
    };

export const noNetwork: Network = { status: 'none' };

export function evolveNetwork(network: Network, event: NetworkEvent): Network {
  if (event.type === 'network.founded')
    return { status: 'founded', signingKeys: [], publishing: 'open', restores: [], sharedToken: 'full' };
  if (network.status === 'none') return network;
  switch (event.type) {
    case 'network.signing_key_rotated':
      return { ...network, signingKeys: [...network.signingKeys, event.data.keyId] };
    case 'network.publishing_paused':
      return { ...network, publishing: 'paused' };
    case 'network.publishing_resumed':
      return { ...network, publishing: 'open' };
    case 'network.restored':
      return { ...network, restores: [...network.restores, event.data.restoreId] };
    case 'network.shared_token_limited':
      return { ...network, sharedToken: 'limited' };
    case 'network.backup_begun':
    case 'network.rebuild_requested':
    case 'network.recovery_applied':
    case 'network.recovery_rolled_back':
      return network;
  }
}

export function rotateSigningKey(
  network: Network,
  rotation: SigningKeyRotated['data'],
): Decision<SigningKeyRotated> {
  if (network.status === 'none') return networkMissing();
  if (network.signingKeys.includes(rotation.keyId)) return [];
  return [{ type: 'network.signing_key_rotated', data: rotation }];
}

export function pausePublishing(network: Network, at: number): Decision<PublishingPaused> {
  if (network.status === 'none') return networkMissing();
  return network.publishing === 'paused' ? [] : [{ type: 'network.publishing_paused', data: { at } }];
}

export function resumePublishing(network: Network, at: number): Decision<PublishingResumed> {
  if (network.status === 'none') return networkMissing();
  return network.publishing === 'open' ? [] : [{ type: 'network.publishing_resumed', data: { at } }];
}

export function beginBackup(network: Network, backup: BackupBegun['data']): Decision<BackupBegun> {
  return network.status === 'none' ? networkMissing() : [{ type: 'network.backup_begun', data: backup }];
}

export function limitSharedToken(network: Network, at: number): Decision<SharedTokenLimited> {
  if (network.status === 'none') return networkMissing();
  return network.sharedToken === 'limited' ? [] : [{ type: 'network.shared_token_limited', data: { at } }];
}

export function recordRestore(
  network: Network,
  restored: NetworkRestored['data'],
): Decision<NetworkRestored> {
  if (network.status === 'none') return networkMissing();
  return network.restores.includes(restored.restoreId) ? [] : [{ type: 'network.restored', data: restored }];
}

export function recordReadModelOperation<Act extends ReadModelOperation>(
  network: Network,
  operation: Act,
): Decision<Act> {
  return network.status === 'none' ? networkMissing() : [operation];
}

export function networkMissing(): Refusal {
  return new Refusal('recovery_state_missing', 'The log has no network yet: start a worker, then retry.');
}
