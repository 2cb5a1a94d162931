import type { NodeModule } from '../../engine/node.ts';
import { requestOfRun } from '../../engine/request_of_run.ts';
import { readFileName } from '../../values/file_name.ts';
import definition from './definition.json' with { type: 'json' };

/** Deletes a file of the flow's owner. */
export const storageDeleteNode: NodeModule = {
  definition,
  // The node counts as idempotent, although a second attempt deletes a file that another run has stored since the first
  // attempt: a single slow attempt could delete that file, too.
  run: async ({ inputs, files, ...run }) => ({
    key: { S: await requestOfRun(run, true, (end) => files.remove(readFileName(inputs), end)) },
  }),
};
