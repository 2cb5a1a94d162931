import type { StartTarget } from './start_target.ts';

/** The target as a list reads it. */
export interface NamedTarget extends StartTarget {
  /** The flow, where its name was read, too. */
  flows: { name: string } | null;
}

/** The target by the flow's name and the tag, or by the deployment's id. */
export const describeTarget = ({ flow, tag, deployment_id, flows }: NamedTarget): string =>
  flow === null ? `Deployment ${deployment_id}` : `${flows?.name || `Flow ${flow}`}, ${tag}`;
