/** A flow to begin with, as it is stored in `docs/templates`. */
export interface FlowTemplate {
  name: string;
  description: string;
  nodes: object[];
  edges: object[];
}

/** All templates, by name. This module is loaded when they are first shown. */
export const TEMPLATES: FlowTemplate[] = Object.values(
  import.meta.glob<FlowTemplate>('../../../docs/templates/*.json', { eager: true, import: 'default' }),
).toSorted((a, b) => a.name.localeCompare(b.name));
