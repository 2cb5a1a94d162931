// zod is imported as a namespace. A bundler can then drop the parts of zod that the client does not use.
import * as z from 'zod';
import { isObject } from '../values/value.ts';

// The newer form of the editor's node definitions ("V2"): it has `name` and `ports` in place of `data`, `sources` and
// `targets`.

const schema = z.looseObject({
  type: z.string().default('native'),
  name: z.string(),
  version: z.string(),
  description: z.string().default(''),
  author_handle: z.string().nullish(),
  ports: z.object({
    inputs: z.array(z.looseObject({
      name: z.string(),
      type_bounds: z.array(z.string()).default([]),
      required: z.boolean().default(false),
      passthrough: z.boolean().default(false),
    })).default([]),
    outputs: z.array(z.looseObject({ name: z.string(), type: z.string().default('free') })).default([]),
  }),
  config_schema: z.record(z.string(), z.unknown()).nullish(),
  classification: z.looseObject({
    tags: z.array(z.string()).nullish(),
    icon_url: z.string().nullish(),
  }).nullish(),
});

/** Tests whether a node definition has the newer form. */
export const isNewerDefinition = (json: unknown): boolean =>
  isObject(json) && isObject(json.ports) && !('data' in json);

/**
 * Converts a node definition of the newer form to the older one. Members for which the older form has no place are kept
 * in `data`. Throws a ZodError that names the invalid members.
 */
export function fromNewerDefinition(json: unknown): Record<string, unknown> {
  const { type, name, version, description, ports, config_schema, $schema: _address, ...others } = schema.parse(json);
  const { author_handle, classification } = others;
  const hasForm = Object.keys(config_schema ?? {}).length > 0;
  return {
    type,
    data: {
      ...others,
      node_id: name,
      version,
      display_name: name,
      description,
      tags: classification?.tags ?? [],
      ...(author_handle != null && { authors: [{ name: author_handle, contact: '' }] }),
      ...(classification?.icon_url != null && { design: { icon_url: classification.icon_url } }),
    },
    sources: ports.outputs,
    targets: ports.inputs,
    ...(hasForm && { 'targets_form.json_schema': config_schema, 'targets_form.ui_schema': {} }),
  };
}
