import { expect, it } from 'vitest';
import { nodeRegistry } from '../../../runner/nodes/registry.ts';
import { makeNode, withErrorOutput, withFormData } from './definition.ts';

const named = (names: string[]) => ({ cases: names.map((name) => ({ name, operator: 'is_null' })) });

/** Returns the ids of a switch's outputs by their names, after the form of the switch was changed. */
function outputsOf(node: ReturnType<typeof withFormData>): Record<string, string> {
  const { sources } = node.data as { sources: { name: string; id: string }[] };
  return Object.fromEntries(sources.map(({ name, id }) => [name, id]));
}

const SWITCH = { id: 's', data: { node_id: 'switch', sources: [{ id: 'd', name: 'default', type: 'free' }] } };

it('the outputs of a switch are the names of its cases, and default', () => {
  const node = withFormData(SWITCH, named(['a', 'b', '', 'a']));
  expect(Object.keys(outputsOf(node))).toEqual(['a', 'b', 'default']);
  expect(outputsOf(node).default).toBe('d');
});

it('an output of a switch keeps its id when cases move, go, or are renamed', () => {
  const first = withFormData(SWITCH, named(['a', 'b']));
  const { a, b } = outputsOf(first);
  expect(outputsOf(withFormData(first, named(['b', 'a'])))).toEqual({ b, a, default: 'd' });
  expect(outputsOf(withFormData(first, named(['b'])))).toEqual({ b, default: 'd' });
  expect(outputsOf(withFormData(first, named(['a', 'bb'])))).toEqual({ a, bb: b, default: 'd' });
});

it('the output error is added and removed with on_error, also for a switch', () => {
  const handled = withErrorOutput(withFormData(SWITCH, named(['a'])), true);
  expect(handled.data).toMatchObject({ on_error: 'output' });
  const changed = withFormData(handled, named(['b']));
  expect(Object.keys(outputsOf(changed))).toEqual(['b', 'default', 'error']);
  expect(outputsOf(changed).error).toBe(outputsOf(handled).error);
  const back = withErrorOutput(changed, false);
  expect(Object.keys(outputsOf(back))).toEqual(['b', 'default']);
  expect(back.data).not.toHaveProperty('on_error');
});

it.each([['javascript', 'return input;'], ['rhai_script', 'input']])('a new %s passes its input on', (id, source) => {
  const { definition } = nodeRegistry(id)!;
  // SAFETY: these are the columns of a definition.
  const node = makeNode({ ...definition, id } as unknown as Parameters<typeof makeNode>[0]);
  expect(node.data).toMatchObject({ targets_form: { form_data: { source } } });
});
