import { expect, it } from 'vitest';
import { recordedFiles } from '../../../tests/support/files.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value } from '../../../types/values/value.ts';
import { storageCreateSignedUrlNode } from './index.ts';

const optionsOf = async (inputs: { [name: string]: Value }) => {
  const { files, calls } = recordedFiles({ signUrl: 'https://x.example/a' });
  const all = { path: { S: 'a' }, expires_in: { D: '60' }, ...inputs };
  expect(await runNode(storageCreateSignedUrlNode, all, { files })).toEqual({ url: { S: 'https://x.example/a' } });
  return calls[0]?.[2];
};

it('storage_create_signed_url makes a URL that expires after whole seconds, at most 7 days', async () => {
  expect(await optionsOf({})).toEqual({ expiresInSeconds: 60, transform: undefined, download: false });
  for (const seconds of [{ U: '604800' }, { S: '604800' }, { F: '604800' }, { D: '604800.0' }] as Value[]) {
    expect(await optionsOf({ expires_in: seconds })).toMatchObject({ expiresInSeconds: 604_800 });
  }
  for (const wrong of [{ U: '604801' }, { U: '0' }, { I: '-1' }, { D: '1.5' }, { S: 'x' }, { N: 0 }] as Value[]) {
    await expect(optionsOf({ expires_in: wrong })).rejects.toThrow('expires_in: ');
  }
});

it('storage_create_signed_url names the file that browsers save', async () => {
  for (
    const [download, expected] of [[{ B: true }, true], [{ B: false }, false], [{ S: '' }, false], [{ N: 0 }, false], [
      { S: 'b.txt' },
      'b.txt',
    ]] as [Value, unknown][]
  ) expect(await optionsOf({ download })).toMatchObject({ download: expected });
  for (const wrong of [{ U: '1' }, { S: 'x'.repeat(256) }] as Value[]) {
    await expect(optionsOf({ download: wrong })).rejects.toThrow('download: ');
  }
});

it('storage_create_signed_url takes the changes of an image that Storage knows', async () => {
  const transform: Value = { M: { width: { U: '10' }, height: { N: 0 }, resize: { S: 'fill' }, quality: { D: '20' } } };
  expect(await optionsOf({ transform })).toMatchObject({ transform: { width: 10, resize: 'fill', quality: 20 } });
  expect(await optionsOf({ transform: { M: {} } })).toMatchObject({ transform: undefined });
  for (
    const [wrong, message] of [
      [{ width: { U: '0' } }, 'width: '],
      [{ height: { U: '2501' } }, 'height: '],
      [{ quality: { D: '20.5' } }, 'quality: '],
      [{ resize: { S: 'crop' } }, 'resize: must be one of cover, contain, fill'],
      [{ blur: { U: '1' } }, 'transform: takes only '],
      [{ constructor: { U: '1' } }, 'transform: takes only '],
    ] as [{ [name: string]: Value }, string][]
  ) await expect(optionsOf({ transform: { M: wrong } })).rejects.toThrow(message);
  await expect(optionsOf({ transform: { S: 'x' } })).rejects.toThrow('transform: ');
});
