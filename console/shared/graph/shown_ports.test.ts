import { expect, test } from 'vitest';
import { categoryOf } from './categories.ts';
import { readNode } from './drawn_node.ts';
import { portColour } from './port_types.ts';
import { connectedPorts, NO_PORTS, shownPorts } from './shown_ports.ts';

const port = (name: string, required = false) => ({ id: name, name, type_bounds: ['string'], required });
const node = (form_data: unknown, targets = ['url', 'method', 'headers', 'body']) =>
  readNode({
    id: 'n',
    data: {
      node_id: 'http_request',
      targets: targets.map((name) => port(name, name === 'url')),
      sources: [{ id: 'o', name: 'o', type: 'free' }],
      targets_form: { form_data, ui_schema: { body: { 'ui:widget': 'password' } } },
    },
  });

test('a node shows inputs that are required, set or connected, and counts the others', () => {
  const shown = shownPorts(node({ method: 'POST' }), NO_PORTS);
  expect(shown.inputs.map(({ name }) => name)).toEqual(['url', 'method']);
  expect(shown.hidden).toBe(2);
  expect([...shown.marks]).toEqual([['url', 'missing'], ['method', 'set'], ['headers', 'empty'], ['body', 'empty']]);
  const edges = connectedPorts([
    { source: 'm', sourceHandle: 'o', target: 'n', targetHandle: 'headers' },
    { source: 'n', sourceHandle: 'o', target: 'm', targetHandle: 'a' },
  ]);
  // A single port is never hidden, because the button would take the same room.
  const all = shownPorts(node({ method: 'POST' }), edges);
  expect([all.inputs.length, all.hidden, [...all.connectedOutputs]]).toEqual([4, 0, ['o']]);
  expect(shownPorts(node({}), NO_PORTS, true)).toMatchObject({ hidden: 0, isExpanded: true });
});

test('values are one line, long ones are cut, and passwords are not shown', () => {
  const text = (form: unknown, name: string) => node(form).inputs.find((input) => input.name === name)!.value;
  expect(text({ url: 'https://example.com/\n  a' }, 'url')).toBe('https://example.com/ a');
  expect(text({ url: 'x'.repeat(1_000_000) }, 'url')).toHaveLength(61);
  expect(text({ headers: { a: [1] } }, 'headers')).toBe('{"a":[1]}');
  expect(text({ body: 'secret' }, 'body')).toBe('••••');
  expect(node(7, ['only']).inputs[0]!.value).toBe('7');
});

test('ports have the colours of their types, and nodes the category of their command', () => {
  expect([['string'], ['u64'], ['bytes'], ['pubkey', 'keypair'], ['array'], ['object', 'array'], ['free'], []]
    .map(portColour)).toEqual(['text', 'number', 'bytes', 'key', 'array', 'any', 'any', 'any']);
  expect(categoryOf({ nodeId: 'rhai_script_3x2', kind: 'native' })).toBe('code');
  expect(categoryOf({ nodeId: 'of_somebody', kind: 'native' })).toBe('other');
  expect(categoryOf({ nodeId: 'flow_input', kind: 'mock' })).toBe('other');
});
