import { connectionLimits } from './limits/connections.ts';
import { definitionLimits } from './limits/definitions.ts';
import { deploymentLimits } from './limits/deployments.ts';
import { flowLimits } from './limits/flows.ts';
import type { Limits } from './limits/limit.ts';
import { nodeLimits } from './limits/nodes.ts';
import { requestLimits } from './limits/requests.ts';
import { runLimits } from './limits/runs.ts';
import { scriptLimits } from './limits/scripts.ts';
import { storeLimits } from './limits/stores.ts';

/**
 * All fixed limits by name, for the generators of the SQL functions and of the page of limits. A program imports only
 * the file with the limits that it needs.
 */
export const limits = {
  ...requestLimits,
  ...flowLimits,
  ...deploymentLimits,
  ...runLimits,
  ...scriptLimits,
  ...nodeLimits,
  ...storeLimits,
  ...connectionLimits,
  ...definitionLimits,
} satisfies Limits;
