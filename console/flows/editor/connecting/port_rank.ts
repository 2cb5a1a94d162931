import type { DrawnInput } from '../../../shared/graph/drawn_node.ts';
import type { EdgeStart } from '../edge_refusals.ts';

/** Names of inputs that take the data on which a node works, and of outputs with the data that it gives. */
const DATA = new Set(
  ('a b c d e array body content data date element first second input json json_input json_or_string ' +
    'items list print query rows string stringify text value values').split(' '),
);

/** Names of inputs that say how a node works. An edge is drawn to such an input only where the user draws it. */
const SETTINGS = new Set(
  ('algorithm basic_auth bucket choices compare_to content_type default delimiter description encoding ' +
    'expires_in expression extra field field_path form format function header headers json_schema locale ' +
    'memo method name operator passphrase path pattern query_params replacement schema source submit ' +
    'table template timeout title transform unit url webhook_headers webhook_url zone').split(' '),
);

/** True for the name of a port for data. */
export const isData = (name: string): boolean => DATA.has(name);

/** How likely a user means an input as the end of an edge. Smaller is likelier. */
export const PORT_RANKS = { sameName: 0, data: 1, required: 2, other: 3, setting: 4 } as const;

/** Ranks an input as the end of an edge that begins at the output `start`. */
export function rankInput({ name: from }: Pick<EdgeStart, 'name'>, { name, isRequired }: DrawnInput): number {
  if (name !== '' && name.toLowerCase() === from.toLowerCase()) return PORT_RANKS.sameName;
  if (isData(name)) return PORT_RANKS.data;
  if (SETTINGS.has(name)) return PORT_RANKS.setting;
  return isRequired ? PORT_RANKS.required : PORT_RANKS.other;
}
