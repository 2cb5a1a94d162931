import type { ValueMap } from '../../../types/values/value.ts';
import { readField, readOptionalField, toBoolean, toText } from '../../../types/values/conversion.ts';
import { toBytes } from '../../../types/values/keys.ts';
import { type NodeModule, requireInput } from '../../engine/node.ts';
import { requestOfRun } from '../../engine/failures/request_of_run.ts';
import { readFileName } from '../../values/file_name.ts';
import definition from './definition.json' with { type: 'json' };

const overwrites = (inputs: ValueMap): boolean => {
  const { overwrite } = inputs;
  return overwrite !== undefined && 'B' in overwrite && overwrite.B;
};

/** Stores a file of the flow's owner. */
export const storageUploadNode: NodeModule = {
  definition,
  // Without `overwrite`, the effects are `once`: a repeated upload would fail, because the first one has stored the
  // file.
  effectsByInput: { name: 'overwrite', effectsOf: (inputs) => overwrites(inputs) ? 'idempotent' : 'once' },
  run: async ({ inputs, files, signal, releasing }) => {
    const overwrite = readOptionalField(inputs, 'overwrite', toBoolean) ?? false;
    const upload = {
      bytes: readField(inputs, 'content', toBytes),
      isText: 'S' in requireInput(inputs, 'content'),
      contentType: readOptionalField(inputs, 'content_type', toText),
      overwrite,
    };
    const { bucket, path } = readFileName(inputs);
    const { key, contentType } = await requestOfRun(
      { signal, releasing },
      overwrite,
      (end) => files.upload({ bucket, path }, upload, end),
    );
    return { key: { S: key }, content_type: { S: contentType } };
  },
};
