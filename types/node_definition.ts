/** The record that front-ends read from the node database to draw a node. */
export interface NodeDefinition {
  type: string;
  data: {
    node_id: string;
    version: string;
    display_name: string;
    [member: string]: unknown;
  };
  sources: { name: string; type: string; optional?: boolean; [member: string]: unknown }[];
  targets: {
    name: string;
    type_bounds: string[];
    required?: boolean;
    passthrough?: boolean;
    [member: string]: unknown;
  }[];
  'targets_form.json_schema'?: unknown;
  'targets_form.ui_schema'?: unknown;
  'targets_form.extra'?: unknown;
}
