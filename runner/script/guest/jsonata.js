import jsonata from 'jsonata';

/**
 * Functions whose results differ from evaluation to evaluation. `eval` is included because it could hide their names.
 */
const CHANGING = ['now', 'millis', 'random', 'shuffle', 'eval'];

/** An error that names the character at which it arose. */
function placed(error) {
  if (error instanceof Error || typeof error?.message !== 'string') return error;
  const place = typeof error.position === 'number' ? ` (character ${error.position})` : '';
  return new Error(`${error.message}${place}`, { cause: error });
}

/** Throws if a parsed expression names a function whose results differ. It may be deep, so there is no recursion. */
function refuseChanging(ast) {
  const open = [ast];
  // Parts of the tree may be shared.
  const seen = new Set();
  while (open.length > 0) {
    const node = open.pop();
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.type === 'variable' && CHANGING.includes(node.value)) {
      throw new Error(`$${node.value} can't be used on an edge (character ${node.position})`);
    }
    for (const name of Object.keys(node)) {
      if (typeof node[name] === 'object' && node[name] !== null) open.push(node[name]);
    }
  }
}

/** Parses the expression of an edge. Its result may depend on its input only. */
function parseFixed(text) {
  const expression = jsonata(text);
  refuseChanging(expression.ast());
  return expression;
}

/** Evaluates an expression. */
globalThis.library = async (expression, input) => {
  try {
    return await jsonata(expression).evaluate(input);
  } catch (error) {
    throw placed(error);
  }
};

/** Evaluates the expression of an edge. */
globalThis.library.evaluateFixed = async (expression, input) => {
  try {
    return await parseFixed(expression).evaluate(input);
  } catch (error) {
    throw placed(error);
  }
};

/** Parses the expression of an edge, and throws its fault. */
globalThis.library.checkFixed = (expression) => {
  try {
    parseFixed(expression);
  } catch (error) {
    throw placed(error);
  }
};
