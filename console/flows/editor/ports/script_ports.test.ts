import { describe, expect, test } from 'vitest';
import type { PlainObject } from '../../../shared/graph/drawn_node.ts';
import { copyPart } from '../clipboard.ts';
import { freeName, whyBadName } from './port_names.ts';
import { addPort, countEdges, movePortUp, removePort, renamePort, scriptPorts, setPortType } from './script_ports.ts';

const target = (id: string, name: string) => ({
  id,
  name,
  type_bounds: ['free'],
  required: false,
  passthrough: true,
  tooltip: `The variable ${name} of the script`,
  other: 'member',
});

const script = (formData: PlainObject = {}): PlainObject => ({
  id: 'script',
  data: {
    type: 'native',
    node_id: 'rhai_script',
    targets: [target('in-a', 'a'), target('in-b', 'b')],
    sources: [{ id: 'out-a', name: 'a', type: 'free' }, { id: 'out-error', name: 'error', type: 'free' }],
    on_error: 'output',
    targets_form: { form_data: formData },
  },
});

const formOf = (json: PlainObject) => (json.data as { targets_form: { form_data: unknown } }).targets_form.form_data;
const names = (json: PlainObject, side: 'input' | 'output') => scriptPorts(json, side).map(({ name }) => name);

describe('a port', () => {
  test('is renamed with its id, its members and its value', () => {
    const renamed = renamePort(script({ source: 'a', a: 5, b: null }), 'input', 'in-a', 'price');
    expect(names(renamed, 'input')).toEqual(['price', 'b']);
    expect((renamed.data as { targets: unknown[] }).targets[0]).toEqual({
      ...target('in-a', 'a'),
      name: 'price',
      tooltip: '',
    });
    expect(formOf(renamed)).toEqual({ source: 'a', price: 5, b: null });
    // If the renamed output has the same name as an input, the value of the input stays.
    expect(formOf(renamePort(script({ a: 5 }), 'output', 'out-a', 'x'))).toEqual({ a: 5 });
    expect(renamePort(script(), 'input', 'in-none', 'x')).toEqual(script());
    // Another editor may have given an input the name `source`, which is the setting for the script. The script must
    // stay.
    const named = renamePort(script({ source: 'a' }), 'input', 'in-a', 'source');
    expect(formOf(renamePort(named, 'input', 'in-a', 'x'))).toEqual({ source: 'a' });
  });

  test('is added with a free name, gets a type, and moves up', () => {
    const added = addPort(addPort(script(), 'rhai_script', 'input'), 'rhai_script', 'input', { type: 'u64' });
    expect(scriptPorts(added, 'input').map(({ name, type }) => [name, type])).toEqual([
      ['a', 'free'],
      ['b', 'free'],
      ['input', 'free'],
      ['input2', 'u64'],
    ]);
    const typed = setPortType(added, 'input', 'in-b', 'string');
    expect(names(movePortUp(typed, 'input', 'in-b'), 'input')).toEqual(['b', 'a', 'input', 'input2']);
    expect(scriptPorts(typed, 'input')[1]!.type).toBe('string');
    expect(movePortUp(typed, 'input', 'in-a')).toBe(typed);
  });

  test('is removed with its value and its edges, and the edges of other ports stay', () => {
    const edge = (source: string, sourceHandle: string, to: string, targetHandle: string) => ({
      source,
      sourceHandle,
      target: to,
      targetHandle,
    });
    const edges = [
      edge('other', 'o', 'script', 'in-a'),
      edge('script', 'passthrough-in-a', 'other', 'i'),
      edge('script', 'out-a', 'other', 'j'),
      edge('other', 'o', 'script', 'in-b'),
    ];
    const document = { nodes: [script({ a: 1, b: 2 })], edges };
    expect(countEdges(document, 'script', 'input', 'in-a')).toBe(2);
    const removed = removePort(document, 'script', 'input', 'in-a');
    expect(removed.edges).toEqual([edges[2], edges[3]]);
    expect(formOf(removed.nodes[0]!)).toEqual({ b: 2 });
    expect(names(removed.nodes[0]!, 'input')).toEqual(['b']);
    expect(names(removed.nodes[0]!, 'output')).toEqual(['a']);
  });

  test('keeps its name and its edges in a copy', () => {
    const edges = [{ source: 'script', sourceHandle: 'out-a', target: 'script2', targetHandle: 'in-x' }];
    const copy = copyPart({ nodes: [script(), { ...script(), id: 'script2' }], edges });
    expect(names(copy.nodes[0]!, 'input')).toEqual(['a', 'b']);
    expect(scriptPorts(copy.nodes[1]!, 'output')[0]!.id).toBe(copy.edges[0]!.sourceHandle);
  });
});

describe('a name', () => {
  test.each<[nodeId: 'rhai_script' | 'javascript', name: string, reason: string | undefined]>([
    ['rhai_script', 'price_2', undefined],
    ['rhai_script', 'constructor', undefined],
    ['rhai_script', 'clock', undefined],
    ['rhai_script', '', 'A port needs a name.'],
    ['rhai_script', 'a b', 'A name has only letters from A to Z, digits and _.'],
    ['rhai_script', 'é', 'A name has only letters from A to Z, digits and _.'],
    ['rhai_script', '2a', 'A name has a letter before its first digit.'],
    ['rhai_script', '_', 'A name has a letter before its first digit.'],
    ['rhai_script', 'let', '“let” is a word of the language.'],
    ['javascript', 'class', '“class” is a word of the language.'],
    ['javascript', 'clock', '“clock” has a meaning of its own in scripts.'],
    ['rhai_script', '__proto__', '“__proto__” has a meaning of its own in scripts.'],
    ['rhai_script', 'taken', 'Another output has this name.'],
    ['rhai_script', 'error', '“error” is the output for failures of the node.'],
    ['rhai_script', 'x'.repeat(10_000), 'A name has at most 100 characters.'],
  ])('of %s: %s', (nodeId, name, reason) => {
    expect(whyBadName(nodeId, 'output', name, ['taken'])).toBe(reason);
  });

  test('that the user wants is used if it is allowed, and gets a number if another port has it', () => {
    expect(freeName('rhai_script', 'input', 'balance', [])).toBe('balance');
    expect(freeName('rhai_script', 'input', 'balance', ['balance', 'balance2'])).toBe('balance3');
    expect(freeName('rhai_script', 'input', 'let', [])).toBe('input');
    expect(freeName('rhai_script', 'input', 'x'.repeat(100), ['x'.repeat(96)])).toBe(`${'x'.repeat(96)}2`);
    expect(freeName('javascript', 'input', 'a b', ['input'])).toBe('input2');
  });
});
