import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { flowRunIdSchema, type FlowRunResult } from '../../../types/flow_run.ts';
import { parse } from '../../_shared/body.ts';
import type { Deps } from '../../_shared/deps.ts';
import type { AcceptedRequest, Runs } from '../accepted_request.ts';
import { orRefusal, plainResult, readableOutput } from './results.ts';

/** The most runs that an assistant reads at once. */
const MOST_RUNS = 100;

const runSchema = z.strictObject({ flow_run_id: flowRunIdSchema });
const listSchema = z.strictObject({
  status: z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped']).optional(),
  take: z.int().min(1).max(MOST_RUNS).default(25),
});

const flow_run_id = { type: 'string', format: 'uuid', description: 'The id of the run.' };
const runInput: Tool['inputSchema'] = { type: 'object', properties: { flow_run_id }, required: ['flow_run_id'] };

interface FoundRuns {
  runs: { id: string; flow_id: number; status: string; created_at: string; end_time: string | null }[];
}

interface OwnTool {
  description: string;
  inputSchema: Tool['inputSchema'];
  readOnlyHint: boolean;
  call: (args: unknown, accepted: AcceptedRequest, deps: Deps, runs: Runs) => Promise<Record<string, unknown>>;
}

/** The tools that each user has beside their own flows. No flow may have one of these names. */
const tools: Record<string, OwnTool> = {
  read_run: {
    description: 'Reads the status of a run, its output once it has succeeded, and its errors.',
    inputSchema: runInput,
    readOnlyHint: true,
    call: async (args, { credentials }, deps, { pokeRunner }) => {
      const run = parse(runSchema, args, 'arguments');
      const result = await deps.rpc<FlowRunResult>('flow_run_result', run, credentials.headers);
      if (result.is_overdue) pokeRunner(run.flow_run_id);
      const { status, output, errors } = result;
      return { ...run, status, output: output && readableOutput(output), errors };
    },
  },
  stop_run: {
    description: 'Asks a run to stop. Effects that it has had already are not undone.',
    inputSchema: runInput,
    readOnlyHint: false,
    call: async (args, { credentials }, deps, { pokeRunner }) => {
      const run = parse(runSchema, args, 'arguments');
      await deps.rpc('stop_flow_run', { ...run, reason: 'An assistant has stopped the run.' }, credentials.headers);
      pokeRunner(run.flow_run_id);
      return { ...run, is_asked_to_stop: true };
    },
  },
  list_runs: {
    description: 'Lists the latest runs of the user, the newest first.',
    inputSchema: {
      type: 'object',
      properties: {
        status: { type: 'string', enum: listSchema.shape.status.unwrap().options, description: 'Only these runs.' },
        take: { type: 'integer', minimum: 1, maximum: MOST_RUNS, default: 25, description: 'The number of runs.' },
      },
    },
    readOnlyHint: true,
    call: async (args, { credentials }, deps) => {
      const { runs } = await deps.rpc<FoundRuns>(
        'find_flow_runs',
        parse(listSchema, args, 'arguments'),
        credentials.headers,
      );
      return {
        runs: runs.map(({ id, flow_id, status, created_at, end_time }) => ({
          flow_run_id: id,
          flow_id,
          status,
          created_at,
          end_time,
        })),
      };
    },
  },
};

/** Describes the tools in the form of `tools/list`. */
export const ownTools: Tool[] = Object.entries(tools).map(([name, { description, inputSchema, readOnlyHint }]) => ({
  name,
  description,
  inputSchema,
  annotations: { readOnlyHint },
}));

/** Calls one of these tools; undefined for another name. */
export async function callOwnTool(
  name: string,
  args: unknown,
  accepted: AcceptedRequest,
  deps: Deps,
  runs: Runs,
): Promise<CallToolResult | undefined> {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool === undefined) return undefined;
  const result = await orRefusal(() => tool.call(args, accepted, deps, runs));
  return 'content' in result ? result as CallToolResult : plainResult(result);
}
