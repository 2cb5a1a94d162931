/** What a schedule or a webhook starts. */
export interface StartedTarget {
  flow: number | null;
  tag: string | null;
  deployment_id: string | null;
  /** The flow, where its name was read, too. */
  flows: { name: string } | null;
}

/** What is started, by the flow's name and the tag, or by the deployment's id. */
export const describeStart = ({ flow, tag, deployment_id, flows }: StartedTarget): string =>
  flow === null ? `Deployment ${deployment_id}` : `${flows?.name || `Flow ${flow}`}, ${tag}`;
