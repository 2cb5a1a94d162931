import type { NodeModule } from '../../engine/node.ts';
import { requestOfRun } from '../../engine/failures/request_of_run.ts';
import { readFileName } from '../../values/file_name.ts';
import definition from './definition.json' with { type: 'json' };

/** Deletes a file of the flow's owner. */
export const storageDeleteNode: NodeModule = {
  definition,
  // A second attempt may delete a file that another run has stored since the first attempt. A single slow attempt could
  // delete that file, too, so the node still counts as idempotent.
  run: async ({ inputs, files, ...run }) => ({
    key: { S: await requestOfRun(run, true, (end) => files.remove(readFileName(inputs), end)) },
  }),
};
