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
 * All fixed limits by name. Programs import only the file of the subject that they need. The SQL functions and the page
 * of limits are generated from all limits.
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
