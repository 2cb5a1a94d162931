import type { Limits } from './limit.ts';

const MALFORMED = '400 `request_invalid`';

/** The limits of connections. */
export const connectionLimits = {
  connection_hosts: { value: 20, unit: 'hosts', meaning: 'hosts of a connection', beyond: MALFORMED, inSql: true },
  connection_host_characters: {
    value: 300,
    unit: 'characters',
    meaning: 'a host of a connection, with port and path prefix',
    beyond: MALFORMED,
    inSql: true,
  },
  flow_connections: {
    value: 100,
    unit: 'connections',
    meaning: 'connections that a flow and the flows that it calls use, by name',
    beyond: '`connection_missing`',
    inSql: true,
  },
  connection_secret_bytes: {
    value: 8_192,
    unit: 'bytes',
    meaning: 'the secret of a connection, as JSON',
    beyond: MALFORMED,
    inSql: true,
  },
  connection_token_bytes: {
    value: 16_384,
    unit: 'bytes',
    meaning: 'the tokens of a connection of a kind `oauth2_*`, as JSON',
    beyond: '`connection_token_failed`',
    inSql: true,
  },
  connection_token_ms: {
    value: 15_000,
    unit: 'ms',
    meaning: 'a request to a token server',
    beyond: '`connection_token_failed`',
  },
  connection_lease_seconds: {
    value: 60,
    unit: 's',
    meaning: 'the time in which one worker gets a new token while other workers wait',
    beyond: 'another worker tries',
    inSql: true,
  },
  connection_failure_seconds: {
    value: 5,
    unit: 's',
    meaning: 'the pause after a failure of a token server, before the server is asked again',
    beyond: '`connection_token_failed`, with the earlier failure',
    inSql: true,
  },
  connection_test_ms: {
    value: 10_000,
    unit: 'ms',
    meaning: 'the request of `POST /connections/test`',
    beyond: '422 `connection_test_failed`',
  },
  listed_connection_uses: {
    value: 100,
    unit: 'deployments',
    meaning: 'deployments that 409 `connection_in_use` lists',
    beyond: 'the rest is left out',
    inSql: true,
  },
} satisfies Limits;
