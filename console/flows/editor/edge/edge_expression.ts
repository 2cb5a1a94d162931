import { isObject, objectAt, type PlainObject } from '../../../shared/graph/drawn_node.ts';
import type { FlowDocument } from '../flow_document.ts';

/** Returns the expression of an edge; an empty text if the edge has none. */
export function expressionOf(edge: PlainObject): string {
  const { expression } = objectAt(edge, 'data');
  return typeof expression === 'string' ? expression : '';
}

/** Sets the expression of an edge; an empty text removes it. The other members of `data` stay. */
export function withExpression(edge: PlainObject, expression: string): PlainObject {
  const { expression: _, ...others } = objectAt(edge, 'data');
  if (expression.trim() !== '') return { ...edge, data: { ...others, expression } };
  const { data: __, ...rest } = edge;
  return Object.keys(others).length === 0 ? rest : { ...rest, data: others };
}

/** Changes the expression of one edge. */
export const changeExpression = (document: FlowDocument, index: number, expression: string): FlowDocument => ({
  ...document,
  edges: document.edges.map((edge, place) => place === index ? withExpression(edge, expression) : edge),
});

/** Returns the names of the members at a path of plain JSON. For a list, these are the members of its first element. */
export function namesAt(value: unknown, path: readonly string[]): string[] {
  const enter = (json: unknown): unknown => Array.isArray(json) ? enter(json[0]) : json;
  const found = path.reduce<unknown>((json, name) => {
    const inner = enter(json);
    return isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  }, value);
  const inner = enter(found);
  return isObject(inner) ? Object.keys(inner).slice(0, 200) : [];
}

/** Writes a path of names and indexes as an expression. */
export function pathExpression(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text === '' ? '$' : text}[${step}]`;
    // A name in back-ticks can't contain a back-tick.
    if (step.includes('`')) return `$lookup(${text === '' ? '$' : text}, ${JSON.stringify(step)})`;
    const name = /^[A-Za-z_]\w*$/.test(step) && !['and', 'or', 'in', 'true', 'false', 'null'].includes(step)
      ? step
      : `\`${step}\``;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}
