import type { NodeModule } from '../../engine/node.ts';
import definition from './definition.json' with { type: 'json' };

/** Outputs facts about the run. */
export const flowRunInfoNode: NodeModule = {
  definition,
  run: ({ run }) => ({
    flow_owner: { S: run.ownerId },
    started_by: { S: run.startedBy ?? '' },
    solana_net: { S: run.network.cluster },
  }),
};
