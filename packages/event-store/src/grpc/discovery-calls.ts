import type { handleUnaryCall } from '@grpc/grpc-js';
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import serverFeaturesPb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';

/** The version of EventStoreDB that this store behaves like. */
export const SERVER_VERSION = '23.10.0';

const STREAMS = 'event_store.client.streams.streams';
const METHODS: readonly { service: string; method: string; features: string[] }[] = [
  { service: STREAMS, method: 'read', features: ['position', 'events'] },
  { service: STREAMS, method: 'append', features: [] },
  { service: STREAMS, method: 'batchappend', features: ['deadline_duration'] },
  { service: STREAMS, method: 'delete', features: [] },
  { service: STREAMS, method: 'tombstone', features: [] },
  { service: 'event_store.client.gossip.gossip', method: 'read', features: [] },
  {
    service: 'event_store.client.server_features.serverfeatures',
    method: 'getsupportedmethods',
    features: [],
  },
];

export function supportedMethodsHandler(): handleUnaryCall<Empty, SupportedMethods> {
  const methods = METHODS.map(({ service, method, features }) =>
    new serverFeaturesPb.SupportedMethod()
      .setServiceName(service)
      .setMethodName(method)
      .setFeaturesList(features),
  );
  const answer = new serverFeaturesPb.SupportedMethods()
    .setMethodsList(methods)
    .setEventStoreServerVersion(SERVER_VERSION);
  return (_call, callback) => callback(null, answer);
}

/** Answers Gossip with a cluster of one node: this leader, at the address that the client connected to. */
export function gossipHandler(instanceId: string, nowMs: () => number): handleUnaryCall<Empty, ClusterInfo> {
  return (call, callback) => {
    const [, address = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(call.getHost()) ?? [];
    const leader = new gossipPb.MemberInfo()
      .setInstanceId(new sharedPb.UUID().setString(instanceId))
      .setTimeStamp(`${nowMs()}0000`)
      .setState(gossipPb.MemberInfo.VNodeState.LEADER)
      .setIsAlive(true)
      .setHttpEndPoint(new gossipPb.EndPoint().setAddress(address).setPort(Number(port)));
    callback(null, new gossipPb.ClusterInfo().setMembersList([leader]));
  };
}
