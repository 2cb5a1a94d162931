import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi } from '../../shared/api.tsx';
import type { LiveRun } from '../../shared/run/use_live_run.ts';
import { isApproval, modelStepId, readTurns, toolOf, type Turn } from './read_turns.ts';
import { stepsQuery } from './steps.ts';

/** The run that an agent has made. */
export interface AgentRun {
  /** Undefined until the steps are read. */
  turns: Turn[] | undefined;
  /** The titles of the steps, by their ids. */
  titles: ReadonlyMap<string, string>;
  /** The names of the steps' inputs, by the steps' ids. */
  inputs: ReadonlyMap<string, ReadonlySet<string>>;
  /** The ids of the runs of tools, by the ids and numbers of the steps that called them. */
  runsOfTools: ReadonlyMap<string, string>;
  error: unknown;
}

/** The key of a step in `runsOfTools`. */
export const stepKey = (nodeId: string | null, times: number | null): string => `${nodeId} ${times}`;

/** Reads the run of an agent, with all values of its steps. Returns undefined for every other run. */
export function useAgentRun({ run, executions, isLive }: LiveRun): AgentRun | undefined {
  const api = useApi();
  const agentId = run?.parent_node_id ?? undefined;
  const modelId = useMemo(() => agentId === undefined ? undefined : modelStepId(agentId), [agentId]);
  const isAgent = modelId !== undefined && executions.some(({ node_id }) => node_id === modelId);
  const { data, error } = useQuery({
    ...stepsQuery(api, run?.id ?? '', isLive),
    enabled: isAgent,
    placeholderData: (before, query) => query?.queryKey[2] === run?.id ? before : undefined,
  });
  return useMemo(() => {
    if (!isAgent || agentId === undefined) return undefined;
    const { steps = [], runs = [] } = data ?? {};
    const titles = steps.map((step): [string, string] => {
      const tool = toolOf(step);
      return [step.node_id, tool === '' ? 'Model' : isApproval(step, agentId) ? `Approval of ${tool}` : tool];
    });
    return {
      turns: data && readTurns(steps, agentId),
      titles: new Map(titles),
      inputs: new Map(titles.map(([id]) => [id, new Set<string>()])),
      runsOfTools: new Map(runs.map(({ id, parent_node_id, parent_times }) => [
        stepKey(parent_node_id, parent_times),
        id,
      ])),
      error,
    };
  }, [isAgent, agentId, data, error]);
}
