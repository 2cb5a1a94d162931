import type { Node, NodeOf } from './ast.ts';
import { Char, Float, isInt } from '../values.ts';

/** A fault of a script, with the part of the script that has it. */
export interface Problem {
  readonly message: string;
  readonly node: Node;
}

/**
 * Returns the type of a node's value as an English phrase with an article; undefined if the type is known only at run
 * time.
 */
function kindOf(node: Node): string | undefined {
  switch (node.kind) {
    case 'literal': {
      const { value } = node;
      if (value === null) return '()';
      if (isInt(value)) return 'an integer';
      if (value instanceof Float) return 'a float';
      if (value instanceof Char) return 'a character';
      return typeof value === 'string' ? 'a string' : typeof value === 'boolean' ? 'a boolean' : undefined;
    }
    case 'template':
      return 'a string';
    case 'array':
      return 'an array';
    case 'map':
      return 'an object map';
    case 'logic':
      return node.operator === '??' ? undefined : 'a boolean';
    default:
      return undefined;
  }
}

/**
 * The literals whose elements can be selected, with the type of the index. Other expressions are checked at run time.
 */
const INDEXED_BY: Readonly<Record<string, string>> = {
  'an array': 'an integer',
  'a string': 'an integer',
  'an integer': 'an integer',
  'an object map': 'a string',
};

/** Finds an index whose type can't select an element of a literal. */
export function indexProblem(base: Node, index: Node): Problem | undefined {
  const [baseKind = '', indexKind] = [kindOf(base), kindOf(index)];
  const needed = INDEXED_BY[baseKind];
  if (needed === undefined || indexKind === undefined || indexKind === needed) return undefined;
  const subject = `${baseKind.charAt(0).toUpperCase()}${baseKind.slice(1)}`;
  return { message: `${subject} is indexed by ${needed}, not by ${indexKind}`, node: index };
}

/** Finds a condition that can't be a boolean. */
export function conditionProblem(node: Node): Problem | undefined {
  const kind = kindOf(node);
  return kind === undefined || kind === 'a boolean' ? undefined : { message: `Expecting a boolean, not ${kind}`, node };
}

/** Finds a loop over a value that is not iterable. */
export function iterationProblem(node: Node): Problem | undefined {
  const kind = kindOf(node);
  return kind === 'a float' || kind === 'a boolean' || kind === '()'
    ? { message: `Expecting an iterable value, not ${kind}`, node }
    : undefined;
}

const isLink = (node: Node): node is NodeOf<'index' | 'property'> => node.kind === 'index' || node.kind === 'property';

/** Finds a target that can't be assigned to. Constants are checked at run time. */
export function assignmentProblem(target: Node): Problem | undefined {
  if (target.kind === 'logic' && target.operator !== '??') {
    return { message: `Unexpected '=': perhaps '==' was meant`, node: target };
  }
  let root = target;
  while (isLink(root) || root.kind === 'chain') root = root.kind === 'chain' ? root.body : root.base;
  switch (root.kind) {
    case 'variable':
    case 'unknown':
    case 'this':
      return undefined;
    case 'global':
      return root === target ? { message: 'Cannot assign to this expression', node: target } : undefined;
    default:
      return { message: 'Cannot assign to this expression', node: root };
  }
}
