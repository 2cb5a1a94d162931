import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { DeploymentTarget } from 'flow-deployments-client';
import { useApi } from './api.tsx';
import { isUuid } from './is_uuid.ts';

/** What a schedule or a webhook starts: a flow by its tag, or one deployment. */
export interface StartTarget {
  flow: number | null;
  tag: string | null;
  deployment_id: string | null;
}

/** How long a person types on before what they name is looked up. */
const TYPING_MS = 300;

/** The target as the client takes it; undefined while nothing is named. */
function readTarget({ flow, tag, deployment_id }: StartTarget): DeploymentTarget | undefined {
  if (flow !== null) return tag === '' ? undefined : { flow, ...(tag !== null && { tag }) };
  return deployment_id !== null && isUuid(deployment_id) ? { id: deployment_id } : undefined;
}

/** What the target takes and gives now. It is not read while nothing is named: `isPending`, and not `isLoading`. */
export function useTargetDescription(target: StartTarget) {
  const { flows } = useApi();
  // As text, which is the same one until something changes.
  const [named] = useDebouncedValue(JSON.stringify(readTarget(target)), TYPING_MS);
  return useQuery({
    queryKey: ['deployments', 'description', named],
    queryFn: ({ signal }) => flows.read(JSON.parse(named!) as DeploymentTarget, { signal }),
    enabled: named !== undefined,
    retry: false,
  });
}
