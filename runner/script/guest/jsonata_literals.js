import { numberOfDigits, plainDigits } from '../../../types/values/number_text.ts';

const { exact, isExact } = globalThis.guest;

/** Returns the number for digits without zeros at their ends: an Exact if no JavaScript number stands for it. */
export const numberFor = (digits) => numberOfDigits(digits) ?? exact(digits);

const isDigit = (character) => character >= '0' && character <= '9';

/** Returns the digits of a source that end here, with their fraction. */
function digitsBefore(source, end) {
  let begin = end;
  while (isDigit(source[begin - 1])) begin -= 1;
  if (source[begin - 1] === '.' && isDigit(source[begin - 2])) {
    begin -= 2;
    while (isDigit(source[begin - 1])) begin -= 1;
  }
  return source.slice(begin, end);
}

/** Makes a long literal an Exact. A literal with an exponent stays a number. */
function keepDigits(node, source) {
  const text = digitsBefore(source, node.position);
  if (text === '' || Number(text) !== Math.abs(node.value)) return;
  const value = numberFor(plainDigits(node.value < 0 ? `-${text}` : text));
  if (isExact(value)) Object.assign(node, { type: 'value', value });
}

/** Makes the call of a function that gets the value of a node. The position is that of the call's errors. */
const through = (name, node, { position }) => ({
  type: 'function',
  value: '(',
  position,
  arguments: [node],
  procedure: { type: 'variable', value: name, position },
});

function rewriteNode(node, source) {
  if (node.type === 'number') keepDigits(node, source);
  else if (node.type === 'condition') node.condition = through('\0truth', node.condition, node);
  else if (node.type === 'filter' && node.expr.type !== 'number') node.expr = through('\0index', node.expr, node);
  else if (node.type === 'binary' && ['&', 'and', 'or'].includes(node.value)) {
    const name = node.value === '&' ? '\0text' : '\0truth';
    Object.assign(node, { lhs: through(name, node.lhs, node), rhs: through(name, node.rhs, node) });
  }
}

/** Returns all objects of a parsed expression. The expression may be deep, so there is no recursion. */
export function nodesOf(ast) {
  const found = new Set();
  const open = [ast];
  while (open.length > 0) {
    const node = open.pop();
    // Parts of the tree may be shared.
    if (found.has(node)) continue;
    found.add(node);
    for (const name of Object.keys(node)) {
      if (typeof node[name] === 'object' && node[name] !== null) open.push(node[name]);
    }
  }
  return found;
}

/**
 * Rewrites a parsed expression: long literals keep their digits, and operands of `&` and everything that is tested for
 * truth go through functions of `jsonata_functions.js`.
 */
export function rewriteNumbers(expression, source) {
  for (const node of nodesOf(expression.ast())) rewriteNode(node, source);
}
