import { Parser } from 'acorn';
import { tsPlugin } from '@sveltejs/acorn-typescript';
import { blankTypes } from './blank_types.js';

const TypeScript = Parser.extend(tsPlugin());

/** Returns the source with spaces in place of its types. Throws a SyntaxError with `at`, its line and column. */
globalThis.library = (source) => {
  try {
    return { text: blankTypes(source, TypeScript.parse(source, OPTIONS)) };
  } catch (error) {
    if (error.loc === undefined) throw error;
    const [message] = error.message.split(' (', 1);
    return { message, line: error.loc.line, column: error.loc.column + 1 };
  }
};

const OPTIONS = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  locations: true,
};
