import type { NodeModule } from '../../engine/node.ts';
import { readFileName } from '../../values/file_name.ts';
import definition from './definition.json' with { type: 'json' };

/** Outputs the URL of a file in a public bucket. The node makes no request. */
export const storageGetPublicUrlNode: NodeModule = {
  definition,
  run: ({ inputs, files }) => ({ url: { S: files.publicUrl(readFileName(inputs)) } }),
};
