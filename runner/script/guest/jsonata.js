import jsonata from 'jsonata';
import { assignFunctions, setInput } from './jsonata_functions.js';
import { nodesOf, rewriteNumbers } from './jsonata_literals.js';

const { isExact, tooManyDigits } = globalThis.guest;

/**
 * Functions whose results differ from evaluation to evaluation. `eval` is included because it could hide their names.
 */
const CHANGING = ['now', 'millis', 'random', 'shuffle', 'eval'];

/** The codes of the errors of operators that want numbers. */
const ARITHMETIC = ['D1002', 'T2001', 'T2002', 'T2003', 'T2004', 'T2007', 'T2008', 'T2009', 'T2010'];
/** The codes of the errors of a wrong argument, and the functions that take numbers. */
const ARGUMENTS = ['T0410', 'T0412'];
const NUMERIC = (
  'sum max min average floor ceil round abs sqrt power formatNumber formatBase formatInteger fromMillis substring pad ' +
  'split match replace'
).split(' ');

/** The text of an error. If the fault is an Exact where JSONata wants a number, the text names it. */
function reasonOf(error) {
  const isNumeric = ARITHMETIC.includes(error.code) || ARGUMENTS.includes(error.code) && NUMERIC.includes(error.token);
  const found = isNumeric ? [error.value, error.value2].flat().find(isExact) : undefined;
  return found === undefined ? error.message : tooManyDigits(found);
}

/** An error that names the character at which it arose. */
function placed(error) {
  if (typeof error?.message !== 'string') return error;
  const place = typeof error.position === 'number' ? ` (character ${error.position})` : '';
  return new Error(`${reasonOf(error)}${place}`, { cause: error });
}

/** Throws if a parsed expression names a function whose results differ. */
function refuseChanging(ast) {
  for (const node of nodesOf(ast)) {
    if (node.type === 'variable' && CHANGING.includes(node.value)) {
      throw new Error(`$${node.value} can't be used on an edge (character ${node.position})`);
    }
  }
}

/** Parses the expression of an edge. Its result may depend on its input only. */
function parseFixed(text) {
  const expression = jsonata(text);
  refuseChanging(expression.ast());
  return expression;
}

/** Parses an expression by `parse`, and evaluates it. */
async function evaluate(parse, text, input) {
  try {
    const expression = parse(text);
    rewriteNumbers(expression, text);
    assignFunctions(expression);
    setInput(input);
    return await expression.evaluate(input);
  } catch (error) {
    throw placed(error);
  }
}

/** Evaluates an expression. */
globalThis.library = (expression, input) => evaluate(jsonata, expression, input);

/** Evaluates the expression of an edge. */
globalThis.library.evaluateFixed = (expression, input) => evaluate(parseFixed, expression, input);

/** Evaluates the expression of an edge as a list of its matches. */
globalThis.library.evaluateList = async (expression, input) => {
  const found = await evaluate(parseFixed, expression, input);
  if (found === undefined) return [];
  return Array.isArray(found) ? found : [found];
};

/** Parses the expression of an edge, and throws its fault. */
globalThis.library.checkFixed = (expression) => {
  try {
    parseFixed(expression);
  } catch (error) {
    throw placed(error);
  }
};
