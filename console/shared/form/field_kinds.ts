import type { RJSFSchema } from '@rjsf/utils';
import { isObject } from '../graph/drawn_node.ts';

/** True for a schema that says something about its values. */
const saysSomething = (schema: unknown): boolean => isObject(schema) && Object.keys(schema).length > 0;

/** True if the schema of a list describes the members of the list. */
export const describesItems = ({ items }: RJSFSchema): boolean =>
  Array.isArray(items) ? items.length > 0 && items.every(saysSomething) : saysSomething(items);

/** True if the schema of an object names its members, or describes members of any name. */
export const describesMembers = (schema: RJSFSchema): boolean =>
  [schema.properties, schema.additionalProperties, schema.patternProperties].some(saysSomething) ||
  schema.anyOf !== undefined || schema.oneOf !== undefined;

/** True if the field of a schema takes JSON: any, or a list or an object without a description of its members. */
export function takesJson(schema: RJSFSchema): boolean {
  if (schema.enum !== undefined) return false;
  if (schema.type === 'array') return !describesItems(schema);
  if (schema.type === 'object') return !describesMembers(schema);
  return schema.type === undefined && schema.anyOf === undefined;
}
