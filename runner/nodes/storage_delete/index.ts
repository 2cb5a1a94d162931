import type { NodeModule } from '../../engine/node.ts';
import { requestOfRun } from '../../engine/request_of_run.ts';
import { readFileName } from '../../values/file_name.ts';
import definition from './definition.json' with { type: 'json' };

/** Deletes a file of the flow's owner. */
export const storageDeleteNode: NodeModule = {
  definition,
  // The node is idempotent. If another run stores a file between two attempts, the second attempt deletes that file. A
  // single slow attempt could do the same.
  run: async ({ inputs, files, ...run }) => ({
    key: { S: await requestOfRun(run, true, (end) => files.remove(readFileName(inputs), end)) },
  }),
};
