import type { NodeModule } from '../../engine/node.ts';
import { requestOfRun } from '../../engine/request_of_run.ts';
import { readFileName } from '../../values/file_name.ts';
import definition from './definition.json' with { type: 'json' };

/** Deletes a file of the flow's owner. */
export const storageDeleteNode: NodeModule = {
  definition,
  // Idempotent: a file that another run stores between two attempts is stored while this execution is running, so it
  // might as well be deleted by one slow attempt.
  run: async ({ inputs, files, ...run }) => ({
    key: { S: await requestOfRun(run, true, (end) => files.remove(readFileName(inputs), end)) },
  }),
};
