import { beforeAll, expect, inject, it } from 'vitest';
import type { Value } from '../../types/values/value.ts';
import { fillFiles } from '../support/fill_files.ts';
import { FlowBuilder, type Port } from '../support/flow_builder.ts';
import { deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';

let owner: Person;
let other: Person;

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
});

/** Adds a node that lists the folder `reports` after another node has run. */
function listAfter(flow: FlowBuilder, after: Port): Port {
  const path = flow.use('wait', { value: flow.json('reports'), wait_for: after }).passthrough('value');
  return flow.use('storage_list', { path }, { form: { bucket: 'user-storages' } }).output('files');
}

/** A flow that stores a file, and reads it in every way. */
function writingFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  const file = { path: 'reports/a b (1).txt', content: 'grüße', overwrite: true };
  const { output: stored } = flow.use('storage_upload', {}, { form: file });
  const key = { key: stored('key') };
  const read = flow.use('storage_download', key);
  const signed = flow.use('storage_create_signed_url', key, { form: { expires_in: 60, download: 'ä.txt' } });
  const described = flow.use('storage_get_file_metadata', key);
  const listed = listAfter(flow, stored('key'));
  flow.output('key', stored('key'));
  flow.output('content', read.output('content'));
  flow.output('size', read.output('size'));
  flow.output('url', signed.output('url'));
  flow.output('type', described.output('content_type'));
  flow.output('files', listed);
  return flow;
}

const runOf = async (flow: FlowBuilder, inputs: { [name: string]: Value } = {}) => {
  const deploymentId = await deploy(owner, await storeFlow(owner, flow));
  const { flow_run_id } = await start(owner, `id=${deploymentId}`, { inputs });
  return await finishedRun(owner, flow_run_id);
};

it('a flow stores, reads, signs, lists and deletes a file of its owner', async () => {
  const written = await runOf(writingFlow());
  const key = `user-storages/${owner.id}/reports/a b (1).txt`;
  expect([written.errors, written.output]).toEqual([null, {
    M: {
      key: { S: key },
      content: { S: 'grüße' },
      size: { U: '7' },
      url: { S: expect.stringContaining('/storage/v1/object/sign/user-storages/') },
      type: { S: 'text/plain; charset=utf-8' },
      files: { A: [{ S: 'a b (1).txt' }] },
    },
  }]);

  // SAFETY: a test above has compared this output.
  const { url } = (written.output as { M: { url: { S: string } } }).M;
  const shown = await fetch(url.S);
  expect([shown.status, await shown.text()]).toEqual([200, 'grüße']);
  expect(shown.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''%C3%A4.txt");
  expect((await fetch(url.S.replace('reports', 'others'))).status).toBe(400);
  // The policy lets the owner's own token read the file, and no other user's token.
  const path = `${owner.id}/reports/a b (1).txt`;
  expect((await owner.client.storage.from('user-storages').download(path)).error).toBeNull();
  expect((await other.client.storage.from('user-storages').download(path)).error?.message).toBe('Object not found');

  const flow = new FlowBuilder();
  const removed = flow.use('storage_delete', { key: flow.input('key') });
  flow.output('files', listAfter(flow, removed.output('key')));
  const deleted = await runOf(flow, { key: { S: key } });
  expect([deleted.errors, deleted.output]).toEqual([null, { M: { files: { A: [] } } }]);
  expect((await fetch(url.S)).status).toBe(400);
});

it('a flow stores no more bytes of its owner than the quota', async () => {
  const person = await signUp();
  await fillFiles(person, 4_095);
  const flow = new FlowBuilder();
  flow.output('key', flow.use('storage_upload', {}, { form: { path: 'a', content: 'b' } }).output('key'));
  const { flow_run_id } = await start(person, `id=${await deploy(person, await storeFlow(person, flow))}`);
  expect((await finishedRun(person, flow_run_id)).errors).toEqual([
    expect.stringContaining('quota_exceeded: You have reached the quota of bytes of files'),
  ]);
});

it('a flow reaches no file of another user, and no other bucket', async () => {
  const path = `${other.id}/secret.txt`;
  const { error } = await other.client.storage.from('user-storages').upload(path, 'secret');
  expect(error).toBeNull();
  for (const nodeId of ['storage_download', 'storage_delete', 'storage_get_file_metadata']) {
    const flow = new FlowBuilder();
    flow.use(nodeId, { key: flow.input('key') });
    const run = await runOf(flow, { key: { S: `user-storages/${path}` } });
    expect(run.errors).toEqual([expect.stringMatching(/ storage_denied: the key lies outside the folder/)]);
  }
  expect((await other.client.storage.from('user-storages').download(path)).error).toBeNull();
});

it('a public file needs no key, and its public URL is that of its bucket', async () => {
  const flow = new FlowBuilder();
  const file = { bucket: 'user-public-storages', path: 'page.html', content: '<b>', overwrite: true };
  const stored = flow.use('storage_upload', {}, { form: file });
  flow.output('url', flow.use('storage_get_public_url', { key: stored.output('key') }).output('url'));
  const { output, errors } = await runOf(flow);
  expect(errors).toBeNull();
  const url = `${inject('stack').API_URL}/storage/v1/object/public/user-public-storages/${owner.id}/page.html`;
  expect(output).toEqual({ M: { url: { S: url } } });
  const shown = await fetch(url);
  expect([await shown.text(), shown.headers.get('content-security-policy')]).toEqual([
    '<b>',
    "default-src 'none'; sandbox",
  ]);
});
