import jsonata from 'jsonata';

/** Evaluates an expression. Its errors name the character at which they arose. */
globalThis.library = async (expression, input) => {
  try {
    return await jsonata(expression).evaluate(input);
  } catch (error) {
    if (error instanceof Error || typeof error?.message !== 'string') throw error;
    const place = typeof error.position === 'number' ? ` (character ${error.position})` : '';
    throw new Error(`${error.message}${place}`, { cause: error });
  }
};
