import { describe, expect, it } from 'vitest';
import { editorDefinitionToRow } from './editor_flow.ts';

const NEWER = `{
  // A comment.
  "$schema": "https://schema.example.com/node-v2.schema.json",
  "version": "0.1",
  "name": "shout",
  "prefix": "text",
  "description": "Makes a text loud", /* another */
  "type": "native",
  "author_handle": "ada",
  "ports": {
    "inputs": [
      { "name": "text", "type_bounds": ["string"], "required": true, "passthrough": true, "tooltip": "A text" },
      { "name": "times" },
    ],
    "outputs": [{ "name": "loud", "type": "string", "tooltip": "" }, { "name": "rest" }],
  },
  "config_schema": { "type": "object", "properties": { "mark": { "type": "string" } } },
  "config": { "mark": "!" },
  "classification": { "vendor": "Native", "category": "text", "icon_url": "https://example.com/i.png", "tags": ["text"] },
  "external_version": { "program_id": "text_native" },
  "internal": { "repo": "nodes" },
}`;

describe('editorDefinitionToRow', () => {
  it('converts a definition of the newer form, and keeps in data what has no place elsewhere', () => {
    expect(editorDefinitionToRow(NEWER)).toEqual({
      type: 'native',
      data: {
        node_id: 'shout',
        version: '0.1',
        display_name: 'shout',
        description: 'Makes a text loud',
        tags: ['text'],
        authors: [{ name: 'ada', contact: '' }],
        design: { icon_url: 'https://example.com/i.png' },
        author_handle: 'ada',
        prefix: 'text',
        config: { mark: '!' },
        classification: {
          vendor: 'Native',
          category: 'text',
          icon_url: 'https://example.com/i.png',
          tags: ['text'],
        },
        external_version: { program_id: 'text_native' },
        internal: { repo: 'nodes' },
      },
      sources: [{ name: 'loud', type: 'string', tooltip: '' }, { name: 'rest', type: 'free' }],
      targets: [
        { name: 'text', type_bounds: ['string'], required: true, passthrough: true, tooltip: 'A text' },
        { name: 'times', type_bounds: [], required: false, passthrough: false },
      ],
      'targets_form.json_schema': { type: 'object', properties: { mark: { type: 'string' } } },
      'targets_form.ui_schema': {},
    });
  });

  it('makes no form of an empty config_schema', () => {
    const row = editorDefinitionToRow({ name: 'a', version: '1', ports: {}, config_schema: {}, classification: null });
    expect(row).toEqual({
      type: 'native',
      data: { node_id: 'a', version: '1', display_name: 'a', description: '', tags: [], classification: null },
      sources: [],
      targets: [],
    });
  });

  it('takes the older form as it is, as a text or as JSON', () => {
    const row = editorDefinitionToRow(NEWER);
    expect(editorDefinitionToRow(row)).toEqual(row);
    expect(editorDefinitionToRow(`${JSON.stringify(row)} // end`)).toEqual(row);
  });

  it.each<[string, unknown, string]>([
    ['no JSON', '{', 'it is not JSON: '],
    ['a list', '[]', 'This is not a node definition: '],
    ['ports that are no lists', { name: 'a', version: '1', ports: { inputs: {} } }, 'ports.inputs: '],
    ['a port without a name', { name: 'a', version: '1', ports: { outputs: [{}] } }, 'ports.outputs.0.name: '],
    ['no name', { version: '1', ports: {} }, 'name: '],
    ['an empty name', { name: '', version: '1', ports: {} }, 'data.node_id: '],
    [
      'two ports of one name',
      { name: 'a', version: '1', ports: { outputs: [{ name: 'b' }, { name: 'b' }] } },
      'sources.1.name: another port has the name "b"',
    ],
    ['a long text', ' '.repeat(1_048_577), 'it is longer than 1 MiB'],
    ['a deep text', `{"ports": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'it is nested too deep'],
  ])('refuses %s', (_what, definition, message) => {
    expect(() => editorDefinitionToRow(definition)).toThrow(expect.objectContaining({
      code: 'value_invalid',
      message: expect.stringContaining(message),
    }));
  });

  it('takes a member __proto__ for a member, not for a prototype', () => {
    const text = '{"name": "a", "version": "1", "ports": {}, "__proto__": {"is_public": true}}';
    expect(editorDefinitionToRow(text).is_public).toBeUndefined();
  });
});
