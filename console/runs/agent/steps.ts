import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../../shared/api.tsx';
import { runKey } from '../../shared/use_run_events.ts';

/** An execution of the run that an agent has made: a call of the model or of a tool, or a request for approval. */
export interface AgentStep {
  node_id: string;
  times: number;
  start_time: string;
  end_time: string | null;
  /** One tagged value: the inputs by name. */
  input: unknown;
  /** One tagged value: the outputs by name. */
  output: unknown;
  errors: string[] | null;
  attempt: number;
  is_taken_over: boolean;
  /** The time at which a person answered a request for approval, and the person; null for other steps. */
  answered_at: string | null;
  answered_by: string | null;
}

/** A run that a step has called: the run of a tool. */
export interface RunOfTool {
  id: string;
  parent_node_id: string | null;
  parent_times: number | null;
}

interface StepsOfRun {
  steps: readonly AgentStep[];
  runs: readonly RunOfTool[];
}

const COLUMNS = `node_id, times, start_time, end_time, input, output, errors, attempt, is_taken_over, answered_at,
  answered_by`;

/** Reads the steps of an agent's run, in the order of their starts. An agent makes at most a few hundred. */
export const stepsQuery = ({ db }: Api, runId: string, isLive: boolean) =>
  queryOptions({
    // The key begins like that of the executions, so the same events make it outdated.
    queryKey: [...runKey(runId), 'executions', 'steps', { isLive }],
    queryFn: async ({ signal }): Promise<StepsOfRun> => {
      const [steps, runs] = await Promise.all([
        db.from('node_run').select(COLUMNS).eq('flow_run_id', runId).order('start_time').order('node_id').order('times')
          .abortSignal(signal).throwOnError(),
        db.from('flow_run').select('id, parent_node_id, parent_times').eq('parent_flow_run_id', runId)
          .abortSignal(signal).throwOnError(),
      ]);
      return { steps: steps.data, runs: runs.data };
    },
  });
