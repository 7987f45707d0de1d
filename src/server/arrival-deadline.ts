type ArrivalLimits = { readonly [Each in 'arrivalMs' | 'arrivalCheckMs']: number };

/**
 * Options of a Fastify server that disconnects clients whose request does not arrive whole in time. Without
 * `headersTimeout`, which is longer by default, Node gives the body that longer time.
 */
export function arrivalDeadline({ arrivalMs, arrivalCheckMs }: ArrivalLimits) {
  return {
    requestTimeout: arrivalMs,
    http: { headersTimeout: arrivalMs, connectionsCheckingInterval: arrivalCheckMs },
  };
}
