import type { StartTarget } from './start_target.ts';

/** The target of a schedule or a webhook, with the name of its flow. */
export interface NamedTarget extends StartTarget {
  /** The flow; null if its name was not read. */
  flows: { name: string } | null;
}

/** Describes a target by the flow's name and the tag, or by the deployment's id. */
export const describeTarget = ({ flow, tag, deployment_id, flows }: NamedTarget): string =>
  flow === null ? `Deployment ${deployment_id}` : `${flows?.name || `Flow ${flow}`}, ${tag}`;
