import { expect, test } from 'vitest';
import { nodeRegistry } from '../../../../runner/nodes/registry.ts';
import { readNode } from '../../../shared/graph/drawn_node.ts';
import { clearPair } from './fitting_ports.ts';

const node = (nodeId: string, outputs?: string[]) => {
  const { data, sources, targets } = nodeRegistry(nodeId)!.definition;
  const named = outputs?.map((name) => ({ name, type: 'free' })) ?? sources;
  return readNode({ id: crypto.randomUUID(), data: { ...data, sources: named, targets } });
};

/** Returns the ports that the editor connects for a new node `to` behind `from`. */
function chosen(from: ReturnType<typeof node>, to: string): string | undefined {
  const pair = clearPair(from, node(to), []);
  return pair && `${pair.start.name} -> ${pair.input.name}`;
}

test('a new node is connected by the same name, or else at its data', () => {
  expect(chosen(node('flow_input', ['url']), 'http_request')).toBe('url -> url');
  expect(chosen(node('storage_create_signed_url'), 'http_request')).toBe('url -> url');
  expect(chosen(node('flow_input', ['order']), 'http_request')).toBe('order -> body');
  expect(chosen(node('http_request'), 'branch')).toBe('body -> value');
  expect(chosen(node('http_request'), 'json_extract')).toBe('body -> json_input');
  expect(chosen(node('http_request'), 'flow_output')).toBe('body -> ');
  expect(chosen(node('branch'), 'flow_output')).toBeUndefined();
  expect(chosen(node('branch'), 'merge')).toBe('output -> a');
  expect(chosen(node('json_extract'), 'text_template')).toBe('value -> data');
  expect(chosen(node('storage_upload'), 'storage_download')).toBe('key -> key');
});

test('a new node is never connected at a setting', () => {
  expect(chosen(node('flow_input', ['amount']), 'api_input')).toBeUndefined();
  expect(chosen(node('to_string'), 'postgrest_new_query')).toBeUndefined();
});
