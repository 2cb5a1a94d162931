import { ApiError } from '../../../platform/api_error.ts';
import type { DescribedTool } from '../../../types/deployment_description.ts';
import type { EndedRun, FlowRunResult } from '../../../types/flow_run.ts';
import { type ReadableJson, toReadableJson } from '../../../types/values/json/readable_json.ts';
import { decodeValueMap, isObject } from '../../../types/values/value.ts';
import { fitOutput } from './tools.ts';

/** The result of a tool call. */
export interface ToolResult {
  [member: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

const textOf = (value: unknown) => [{ type: 'text' as const, text: JSON.stringify(value) }];

/** Makes a result that the assistant reads as a failure. Such a result needs no output. */
export const failureOf = (value: object): ToolResult => ({ content: textOf(value), isError: true });

/** Makes a result without an output schema. */
export const plainResult = (value: Record<string, unknown>): ToolResult => ({
  content: textOf(value),
  structuredContent: value,
});

/** The arguments of a tool are the `values` of a start. */
const inArguments = (text: string): string => text.replace(/^values\b/, 'arguments');

const withArgumentPath = (detail: unknown): unknown =>
  isObject(detail) && typeof detail.path === 'string' ? { ...detail, path: inArguments(detail.path) } : detail;

/** Tells the assistant why a call was refused. */
export function refusalOf(error: ApiError): ToolResult {
  const { code, message, details, hint } = error.toBody();
  return failureOf({
    code,
    message: inArguments(message),
    details: Array.isArray(details) ? details.map(withArgumentPath) : details,
    hint,
  });
}

/** Does the work. A refusal becomes a result, because only results reach the model. */
export async function orRefusal<Result>(work: () => Promise<Result>): Promise<Result | ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return refusalOf(error);
    throw error;
  }
}

/** Writes the output of a run as readable JSON. `typesOf` has the port types of an output. */
export const readableOutput = (
  output: FlowRunResult['output'],
  typesOf: (name: string) => string[] = () => [],
): Record<string, ReadableJson> =>
  Object.fromEntries(
    Object.entries(decodeValueMap(output?.M ?? {})).map(([name, value]) => [
      name,
      toReadableJson(value, typesOf(name)),
    ]),
  );

/** Tells the output of a run that has succeeded, or the errors of another one. */
export function endOf(flow_run_id: string, { status, output, errors }: EndedRun, tool: DescribedTool): ToolResult {
  if (status !== 'succeeded') return failureOf({ flow_run_id, status, errors });
  const readable = readableOutput(
    output,
    (name) => tool.outputs.filter((described) => described.name === name).map(({ type }) => type),
  );
  return { content: textOf(readable), structuredContent: fitOutput(readable, tool) };
}

/** Tells the assistant that the run goes on, and what it waits for. */
export const unfinished = (flow_run_id: string, message: string): ToolResult =>
  failureOf({
    flow_run_id,
    status: 'running',
    message: `${message} The run goes on. Read its result later by the tool read_run. ` +
      'Do not call this tool again for the same purpose: that would start another run.',
  });
