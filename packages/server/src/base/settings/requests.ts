/** Limits of requests and connections, and how a server ends. */
import { integer } from './kinds.ts';

export const REQUESTS_SETTINGS = {
  MAX_URL_BYTES: integer({
    minimum: 1_024,
    maximum: 1_048_576,
    default: 524_288,
    description:
      'Longest request line and headers that are accepted, bytes. Ten thousand gml:ids take some 430,000.',
  }),
  MAX_BODY_BYTES: integer({
    minimum: 1_024,
    maximum: 1_073_741_824,
    default: 10_485_760,
    description: 'Largest request body that is accepted, bytes.',
  }),
  MAX_BODIES_BYTES: integer({
    minimum: 1_024,
    maximum: 1_099_511_627_776,
    default: 67_108_864,
    description:
      'Bytes of request bodies that a server has in memory at the same time, a quarter of them from one address; a ' +
      'request beyond gets 503 with `Retry-After`.',
  }),
  MAX_DROPPED_BYTES: integer({
    minimum: 0,
    maximum: 1_099_511_627_776,
    default: 67_108_864,
    description:
      'Bytes of a refused body that a server reads and drops, so that the caller reads the answer; then it closes ' +
      'the connection.',
  }),
  MAX_CONNECTIONS: integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 2_000,
    description: 'Connections that a server keeps open; further ones are closed at once.',
  }),
  MAX_PIPELINED: integer({
    minimum: 1,
    maximum: 1_000,
    default: 16,
    description:
      'Unanswered requests of one connection that a server handles at the same time; further ones wait.',
  }),
  MAX_LONG_POLLS: integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1_000,
    description:
      'Callers that may wait for the status of a pack at the same time; a caller beyond gets the present status at ' +
      'once.',
  }),
  LONG_POLLS_PER_ADDRESS: integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 64,
    description: 'The same for one address, or one /64 network of IPv6.',
  }),
  REQUEST_TIMEOUT_S: integer({
    minimum: 1,
    maximum: 3_600,
    default: 60,
    description: 'Seconds within which a whole request must have arrived.',
  }),
  IDLE_TIMEOUT_S: integer({
    minimum: 1,
    maximum: 3_600,
    default: 120,
    description: 'Seconds without a byte after which a connection is closed.',
  }),
  SHUTDOWN_GRACE_S: integer({
    minimum: 0,
    maximum: 3_600,
    default: 10,
    description: 'Seconds that running requests get to end after SIGTERM or SIGINT.',
  }),
  DRAIN_S: integer({
    minimum: 0,
    maximum: 3_600,
    default: 0,
    description:
      'Seconds after SIGTERM or SIGINT for which a server goes on to answer while `/health/ready` says 503, for a ' +
      'load balancer to notice. Behind one it should be twice the time between two of its health checks.',
  }),
};
