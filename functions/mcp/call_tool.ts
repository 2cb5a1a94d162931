import { ApiError } from '../../platform/api_error.ts';
import type { StartResult } from '../../types/deployment.ts';
import type { DescribedTool } from '../../types/deployment_description.ts';
import type { EndedRun } from '../../types/flow_run.ts';
import { requestLimits } from '../../types/limits/requests.ts';
import { toReadableJson } from '../../types/values/json/readable_json.ts';
import { decodeValueMap } from '../../types/values/value.ts';
import type { Deps } from '../_shared/deps.ts';
import type { AcceptedRequest, Runs } from './accepted_request.ts';
import { fitOutput } from './tools.ts';

/** The result of a tool call. */
interface ToolResult {
  [member: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** What a tool call needs beside the tool and the request. */
interface CallServices {
  deps: Deps;
  runs: Runs;
  /** Is aborted when the client cancels the call. */
  signal: AbortSignal;
}

const textOf = (value: unknown) => [{ type: 'text' as const, text: JSON.stringify(value) }];

/** Tells the assistant why the deployment was not started. Its arguments are the `values` of a start. */
function refusalOf(error: ApiError): ToolResult {
  const { code, message, details, hint } = error.toBody();
  const words = message.replace(/^values\b/, 'arguments');
  return { content: textOf({ code, message: words, details, hint }), isError: true };
}

/** Tells the output of a run that has succeeded, or the errors of another one. */
function resultOf(flow_run_id: string, { status, output, errors }: EndedRun, tool: DescribedTool): ToolResult {
  if (status !== 'succeeded') return { content: textOf({ flow_run_id, status, errors }), isError: true };
  const readable = Object.fromEntries(
    Object.entries(decodeValueMap(output?.M ?? {})).map(([name, value]) => [
      name,
      toReadableJson(value, tool.outputs.filter((output) => output.name === name).map(({ type }) => type)),
    ]),
  );
  return { content: textOf(readable), structuredContent: fitOutput(readable, tool) };
}

/** Tells the assistant that the run goes on. An error needs no structured content, which the run does not have yet. */
const unfinished = (flow_run_id: string): ToolResult => ({
  content: textOf({
    flow_run_id,
    status: 'running',
    message: `The run has not ended within ${requestLimits.start_wait_seconds.value} s, and goes on. ` +
      'Do not call the tool again for the same purpose: that would start another run.',
  }),
  isError: true,
});

/** Starts the deployment of a tool, waits for the end of the run, and returns its output. */
export async function callTool(
  tool: DescribedTool,
  { message, credentials }: AcceptedRequest,
  { deps, runs, signal }: CallServices,
): Promise<ToolResult> {
  const { headers, publicKey } = credentials;
  const args = { id: tool.deployment_id, values: message.toolArguments, public_key: publicKey };
  let started: StartResult;
  try {
    started = await deps.rpc<StartResult>('start_deployment', args, headers);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return refusalOf(error);
    throw error;
  }
  const { flow_run_id } = started;
  runs.pokeRunner(flow_run_id);
  const ended = await runs.ends.wait(flow_run_id, requestLimits.start_wait_seconds.value, signal);
  return ended === undefined ? unfinished(flow_run_id) : resultOf(flow_run_id, ended, tool);
}
