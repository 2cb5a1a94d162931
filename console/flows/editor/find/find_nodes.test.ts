import { expect, test } from 'vitest';
import type { PlainObject } from '../../../shared/graph/drawn_node.ts';
import { findNodes } from './find_nodes.ts';

const node = (id: string, data: PlainObject): PlainObject => ({ id, type: 'native', data });

const flow = {
  nodes: [
    node('a', {
      node_id: 'http_request',
      display_name: 'Ask the shop',
      targets: [{ id: '1', name: 'url', type_bounds: ['string'] }],
      targets_form: { form_data: { url: 'https://shop.example/Orders', headers: [{ name: 'Accept' }] } },
    }),
    node('b', { node_id: 'to_string', display_name: 'Text', sources: [{ id: '2', name: 'result', type: 'u64' }] }),
  ],
  edges: [],
};

const found = (search: string) => findNodes(flow, search).map(({ id, where }) => `${id}: ${where}`);

test('nodes are found by name, type, port and texts of their values', () => {
  expect(found('SHOP')).toEqual(['a: name']);
  expect(found('to_str')).toEqual(['b: type']);
  expect(found('resul')).toEqual(['b: port result']);
  expect(found('u64')).toEqual(['b: type of result']);
  expect(found('orders')).toEqual(['a: value of url']);
  expect(found('accept')).toEqual(['a: value of headers']);
  expect(found('')).toEqual([]);
  expect(found('nothing')).toEqual([]);
});
