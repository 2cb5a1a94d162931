import { randomUUID } from 'node:crypto';

/** Makes a called run that has begun, as workers report it. */
export const calledRun = (id: string, parentId: string, flowId: number) => ({
  id,
  flow_id: flowId,
  status: 'running',
  inputs: { M: {} },
  start_time: new Date().toISOString(),
  parent_flow_run_id: parentId,
  parent_node_id: randomUUID(),
  parent_times: 0,
});
