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
 * All fixed limits by name. Programs import the file of one subject. SQL functions and the page of limits are generated
 * from all files.
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
