import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { DeploymentTarget } from 'flow-deployments-client';
import { useApi } from '../api.tsx';
import { isUuid } from '../is_uuid.ts';

/** The target of a schedule or a webhook: a flow with a tag, or one deployment. */
export interface StartTarget {
  flow: number | null;
  tag: string | null;
  deployment_id: string | null;
}

/** A deployment, with its flow and tags, because a schedule or webhook may name the deployment by them. */
export interface StartedDeployment {
  id: string;
  flow: number;
  /** The tags that the deployment has now. */
  tags: readonly string[];
}

/**
 * Makes the filter for the schedules or webhooks that now start this deployment: those that name its id, or one of its
 * tags.
 */
export const startersOf = ({ id, flow, tags }: StartedDeployment): string =>
  tags.length === 0
    ? `deployment_id.eq.${id}`
    : `deployment_id.eq.${id},and(flow.eq.${flow},tag.in.(${tags.map((tag) => `"${tag}"`).join(',')}))`;

/** Milliseconds without typing after which the target is read. */
const TYPING_MS = 300;

/** Converts a target to the client's form; undefined while it is incomplete. */
function readTarget({ flow, tag, deployment_id }: StartTarget): DeploymentTarget | undefined {
  if (flow !== null) return tag === '' ? undefined : { flow, ...(tag !== null && { tag }) };
  return deployment_id !== null && isUuid(deployment_id) ? { id: deployment_id } : undefined;
}

/**
 * Reads the present inputs and outputs of the target. While the target is incomplete, nothing is read. In this case,
 * `isPending` is true and `isLoading` is false.
 */
export function useTargetDescription(target: StartTarget) {
  const { flows } = useApi();
  // The target is converted to a text for comparisons, because each render makes a new object.
  const [named] = useDebouncedValue(JSON.stringify(readTarget(target)), TYPING_MS);
  return useQuery({
    queryKey: ['deployments', 'description', named],
    queryFn: ({ signal }) => flows.read(JSON.parse(named!) as DeploymentTarget, { signal }),
    enabled: named !== undefined,
    retry: false,
  });
}
