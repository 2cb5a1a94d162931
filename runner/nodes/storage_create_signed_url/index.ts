import { nodeLimits } from '../../../types/limits/nodes.ts';
import { type Convert, invalidType, readField, readOptionalField } from '../../../types/values/conversion.ts';
import type { NodeModule } from '../../engine/node.ts';
import { requestOfRun } from '../../engine/failures/request_of_run.ts';
import { readFileName } from '../../values/file_name.ts';
import definition from './definition.json' with { type: 'json' };
import { integerFrom, readTransform } from './transform.ts';

const MAX_SECONDS = nodeLimits.storage_url_seconds.value;

/**
 * Converts the option `download`. If it is true, browsers save the file. If it is a name, they save the file under that
 * name.
 */
const toDownload: Convert<boolean | string> = (value) => {
  if ('B' in value) return value.B;
  if ('S' in value && value.S.length <= 255) return value.S === '' ? false : value.S;
  throw invalidType(value, 'a boolean, or a name of at most 255 characters');
};

/** Outputs a URL by which anybody can read a file of the flow's owner until the URL expires. */
export const storageCreateSignedUrlNode: NodeModule = {
  definition,
  run: async ({ inputs, files, ...run }) => {
    const options = {
      expiresInSeconds: readField(inputs, 'expires_in', integerFrom(1, MAX_SECONDS)),
      transform: readTransform(inputs),
      download: readOptionalField(inputs, 'download', toDownload) ?? false,
    };
    return { url: { S: await requestOfRun(run, true, (end) => files.signUrl(readFileName(inputs), options, end)) } };
  },
};
