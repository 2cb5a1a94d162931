import type { Context } from 'hono';
import {
  type DeployFlowParams,
  deployFlowParamsSchema,
  type DeployFlowResult,
  flowPathSchema,
  type FlowWarning,
  type StrictQuery,
} from '../../types/deployment.ts';
import { ApiError, apiError } from '../../platform/api_error.ts';
import { parse, readBody } from '../_shared/body.ts';
import { requireCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import type { Platform } from '../_shared/edge_platform.ts';
import { type FlowScripts, warnOfScripts } from './script_warnings.ts';
import { flowLimits } from '../../types/limits/flows.ts';

/** The most attempts to deploy. An attempt fails if the flow changes between reading and deploying. */
const MAX_TRIES = 3;
/** The most warnings in an answer. */
const MAX_WARNINGS = flowLimits.listed_warnings.value;

const hasChanged = (error: unknown): boolean => error instanceof ApiError && error.code === 'flow_changed';

/**
 * Throws `flow_invalid` if an expression of the flow is wrong. If `strict`, a wrong script also causes this error. The
 * database uses the same error for other faults of a flow. Called before the deploy.
 */
function refuseScripts(warnings: FlowWarning[], strict: boolean | undefined): void {
  const wrong = warnings.filter(({ code }) => code === 'expression_invalid');
  const refused = strict ? warnings.filter(({ code }) => code !== 'scripts_not_parsed') : wrong;
  const [first] = wrong.length > 0 ? wrong : refused;
  if (first === undefined) return;
  const message = wrong.length > 0
    ? `The flow can't run: ${first.message}.`
    : `The flow has warnings, which strict doesn't allow: ${first.message}.`;
  throw apiError('flow_invalid', message, { details: refused.slice(0, MAX_WARNINGS) });
}

/**
 * Parses the scripts of a flow, then deploys the flow. Throws flow_changed if the flow has changed since its scripts
 * were read.
 */
async function deployParsed(
  rpc: Deps['rpc'],
  flowId: number,
  options: StrictQuery & DeployFlowParams,
  headers: Record<string, string>,
): Promise<DeployFlowResult> {
  const read = await rpc<FlowScripts>('read_flow_scripts', { flow_id: flowId }, headers);
  const warnings = await warnOfScripts(JSON.stringify(headers), flowId, read);
  refuseScripts(warnings, options.strict);
  const deployed = await rpc<DeployFlowResult>(
    'deploy_flow',
    { flow_id: flowId, ...options, as_of: read.as_of },
    headers,
  );
  return { ...deployed, warnings: [...deployed.warnings, ...warnings].slice(0, MAX_WARNINGS) };
}

/**
 * `POST /flow/deploy/{flow_id}?strict=`, `{settings_from}`: freezes the caller's flow into a new deployment. The description of its inputs
 * and outputs is computed and stored after the answer, so that the deploy stays fast.
 */
export const makeDeployFlow =
  ({ config, rpc }: Deps, { waitUntil }: Pick<Platform, 'waitUntil'>) =>
  async (context: Context, query: StrictQuery): Promise<Response> => {
    const { flow_id } = parse(flowPathSchema, context.req.param(), 'path');
    const { headers } = requireCredentials(context.req.raw, config, 'all but public keys');
    const { settings_from } = await readBody(context.req.raw, deployFlowParamsSchema);
    const options = { ...query, settings_from };
    const deployed = await tryAgain(() => deployParsed(rpc, flow_id, options, headers));
    // If this call fails, the first request for the description computes it.
    waitUntil(
      rpc('read_deployment', { id: deployed.deployment_id }, headers, { isText: true }).then(() => {}, () => {}),
    );
    return context.json(deployed);
  };

/** Repeats a deploy a few times if the flow was changed meanwhile. */
async function tryAgain<T>(deploy: () => Promise<T>): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await deploy();
    } catch (error) {
      if (!hasChanged(error) || tries >= MAX_TRIES) throw error;
    }
  }
}
