import { describeAge } from '../time/when.tsx';
import type { StartTarget } from './start_target.ts';

/** The columns that name a target, for a query of schedules or webhooks. */
export const TARGET_NAMES = 'flows(name), flow_deployments(name, entrypoint, created_at, flows(name))';

/** The target of a schedule or a webhook, with the names of its flow and deployment. */
export interface NamedTarget extends StartTarget {
  /** The flow; null if the target is a deployment. */
  flows: { name: string } | null;
  /** The deployment; null if the target is a flow with a tag. */
  flow_deployments:
    | { name: string; entrypoint: number; created_at: string; flows: { name: string } | null }
    | null;
}

/** Describes a target by the flow's name, and by the tag or the age of the deployment. */
export function describeTarget({ flow, tag, flows, flow_deployments: deployment }: NamedTarget): string {
  if (flow !== null) return `${flows?.name || `Flow ${flow}`}, ${tag}`;
  if (deployment === null) return 'A deployment';
  const name = deployment.name || deployment.flows?.name || `Flow ${deployment.entrypoint}`;
  return `${name}, deployed ${describeAge(new Date(deployment.created_at), new Date())}`;
}

/** The address of the page of a target. */
export const targetHref = ({ flow, deployment_id }: StartTarget): string =>
  flow === null ? `/deployments/${deployment_id}` : `/flows/${flow}`;
