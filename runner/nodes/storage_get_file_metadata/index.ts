import type { NodeModule } from '../../engine/node.ts';
import { requestOfRun } from '../../engine/failures/request_of_run.ts';
import { readFileName } from '../../values/file_name.ts';
import definition from './definition.json' with { type: 'json' };

/** Reads the metadata of a file of the flow's owner. */
export const storageGetFileMetadataNode: NodeModule = {
  definition,
  run: async ({ inputs, files, ...run }) => {
    const { key, contentType, lastModified } = await requestOfRun(
      run,
      true,
      (end) => files.metadata(readFileName(inputs), end),
    );
    return { key: { S: key }, content_type: { S: contentType }, last_modified: { S: lastModified } };
  },
};
