import { bytesToValue, isStorable, type Value } from '../../../types/values/value.ts';
import type { NodeModule } from '../../engine/node.ts';
import { requestOfRun } from '../../engine/failures/request_of_run.ts';
import { readFileName } from '../../values/file_name.ts';
import definition from './definition.json' with { type: 'json' };

/**
 * Converts a file to a text if it is UTF-8 and a value can hold that text. Otherwise converts it to bytes. A byte order
 * mark is part of the text.
 */
function contentValue(bytes: Uint8Array): Value {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return isStorable(text) ? { S: text } : bytesToValue(bytes);
  } catch {
    return bytesToValue(bytes);
  }
}

/** Reads a file of the flow's owner. */
export const storageDownloadNode: NodeModule = {
  definition,
  run: async ({ inputs, files, maxOutputBytes, ...run }) => {
    const { bytes, contentType } = await requestOfRun(
      run,
      true,
      (end) => files.download(readFileName(inputs), maxOutputBytes, end),
    );
    return { content: contentValue(bytes), content_type: { S: contentType }, size: { U: String(bytes.length) } };
  },
};
