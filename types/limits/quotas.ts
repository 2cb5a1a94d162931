import type { Limits } from './limit.ts';

const beyond = '409 `quota_exceeded`';

/** The quotas of a user. These are the defaults: an operator can change each one with `set_quota`. */
export const quotas = {
  flows: { value: 1_000, unit: 'flows', meaning: 'flows', beyond },
  flow_bytes: {
    value: 2 ** 30,
    unit: 'bytes',
    meaning: 'bytes of nodes, edges and environments in flows and their versions',
    beyond,
  },
  deployments: { value: 10_000, unit: 'deployments', meaning: 'deployments', beyond },
  deployment_bytes: { value: 4 * 2 ** 30, unit: 'bytes', meaning: 'bytes of frozen flows in deployments', beyond },
  tags: { value: 10_000, unit: 'tags', meaning: 'tags beside latest', beyond },
  api_keys: { value: 100, unit: 'keys', meaning: 'API keys', beyond },
  wallets: { value: 1_000, unit: 'wallets', meaning: 'wallets', beyond },
  connections: { value: 1_000, unit: 'connections', meaning: 'connections', beyond },
  nodes: { value: 5_000, unit: 'definitions', meaning: 'private node definitions', beyond },
  node_bytes: { value: 64 * 2 ** 20, unit: 'bytes', meaning: 'bytes of private node definitions', beyond },
  schedules: { value: 1_000, unit: 'schedules', meaning: 'schedules', beyond },
  schedule_bytes: { value: 4 * 2 ** 20, unit: 'bytes', meaning: 'bytes of inputs and values in schedules', beyond },
  pending_webhooks: {
    value: 10_000,
    unit: 'webhooks',
    meaning: 'outgoing webhooks that were tried and are pending',
    beyond,
  },
  file_bytes: {
    value: 2 ** 30,
    unit: 'bytes',
    meaning: 'bytes of files in user-storages and user-public-storages, each file counted as 4096 bytes or more',
    beyond,
  },
  webhooks: { value: 1_000, unit: 'webhooks', meaning: 'incoming webhooks', beyond },
} satisfies Limits;
