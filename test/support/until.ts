export { until } from '@plaza/event-store/testing';

/** For what takes a network several of its periodic checks or a restart: noticing that its log lost events, a batch that goes on. */
export const CHECKS_MS = 120_000;
