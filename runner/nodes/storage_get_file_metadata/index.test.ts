import { expect, it } from 'vitest';
import { recordedFiles } from '../../../tests/support/files.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { storageGetFileMetadataNode } from './index.ts';

it('storage_get_file_metadata outputs the data of a file', async () => {
  const { files } = recordedFiles({
    metadata: { key: 'b/c', contentType: 'a/b', lastModified: '2026-01-01T00:00:00Z' },
  });
  expect(await runNode(storageGetFileMetadataNode, { key: { S: 'b/c' } }, { files })).toEqual({
    key: { S: 'b/c' },
    content_type: { S: 'a/b' },
    last_modified: { S: '2026-01-01T00:00:00Z' },
  });
});
