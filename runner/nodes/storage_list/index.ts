import { readField, toText } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import { requestOfRun } from '../../engine/failures/request_of_run.ts';
import { readFileName } from '../../values/file_name.ts';
import definition from './definition.json' with { type: 'json' };

/** Lists a folder of the flow's owner. */
export const storageListNode: NodeModule = {
  definition,
  run: async ({ inputs, files, log, ...run }) => {
    const bucket = readField(inputs, 'bucket', toText);
    const { path } = readFileName(inputs);
    const { names, isCut } = await requestOfRun(run, true, (end) => files.list({ bucket, path }, end));
    if (isCut) log('Warn', `the folder may hold more than the ${names.length} names in the output`);
    return { files: { A: names.map((name) => ({ S: name })) } };
  },
};
