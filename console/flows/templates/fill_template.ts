import type { Db } from '../../shared/api.tsx';
import { isObject, objectAt, type PlainObject, readNode } from '../../shared/graph/drawn_node.ts';
import type { FlowTemplate } from './template_files.ts';

/** The form of a node, from its definition. */
interface DefinedForm {
  node_id: string;
  json_schema: unknown;
  ui_schema: unknown;
}

/** Reads the forms of public definitions by the names of their commands. */
async function readForms(db: Db, nodeIds: string[]): Promise<Map<string, DefinedForm>> {
  const { data } = await db.from('nodes')
    .select('node_id, json_schema:"targets_form.json_schema", ui_schema:"targets_form.ui_schema"')
    .in('node_id', nodeIds).is('user_id', null).order('created_at').throwOnError();
  // SAFETY: the select names these columns.
  return new Map((data as unknown as DefinedForm[]).map((row) => [row.node_id, row]));
}

/** Gives the nodes and edges new ids, so that two flows of one template have no id in common. */
function withNewIds({ nodes, edges }: FlowTemplate): { nodes: PlainObject[]; edges: PlainObject[] } {
  const ids = [...nodes, ...edges].map((part) => objectAt({ part }, 'part').id).filter((id) => typeof id === 'string');
  const text = ids.reduce(
    (json, id) => json.replaceAll(`"${id}"`, `"${crypto.randomUUID()}"`),
    JSON.stringify({ nodes, edges }),
  );
  return JSON.parse(text);
}

/**
 * Makes the graph of a flow from a template. A template contains no forms, so each node gets the form of its
 * definition.
 */
export async function fillTemplate(
  db: Db,
  template: FlowTemplate,
): Promise<{ nodes: PlainObject[]; edges: PlainObject[] }> {
  const { nodes, edges } = withNewIds(template);
  const forms = await readForms(db, [...new Set(nodes.map((node) => readNode(node).nodeId))]);
  return {
    edges,
    nodes: nodes.map((node) => {
      const { json_schema, ui_schema } = forms.get(readNode(node).nodeId) ?? {};
      const data = objectAt(node, 'data');
      const form = {
        ...(isObject(json_schema) && { json_schema }),
        ...(isObject(ui_schema) && { ui_schema }),
        ...objectAt(data, 'targets_form'),
      };
      return { ...node, data: { ...data, targets_form: form } };
    }),
  };
}
