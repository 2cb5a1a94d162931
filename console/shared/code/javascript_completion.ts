import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { scopeCompletionSource } from '@codemirror/lang-javascript';

/** Completes the objects of JavaScript that the sandbox has. */
const completeGlobals = scopeCompletionSource({
  Array,
  BigInt,
  Boolean,
  Date,
  Error,
  JSON,
  Map,
  Math,
  Number,
  Object,
  Promise,
  RegExp,
  Set,
  String,
  Uint8Array,
});

const GIVEN: Completion[] = [
  { label: 'inputs', type: 'variable', detail: 'all inputs by their names' },
  { label: 'ENV', type: 'variable', detail: 'the environment of the flow' },
  { label: 'log', type: 'function', detail: '(…values) writes a line into the log' },
];

/** Completes a script with its inputs, the names that the sandbox defines, and the objects of the language. */
export function completeJavaScript(context: CompletionContext, inputs: readonly string[]): CompletionResult | null {
  const globals = completeGlobals(context);
  const found = globals instanceof Promise ? null : globals;
  const member = context.matchBefore(/\.\s*[\w$]*/);
  if (member !== null) return found;
  const word = context.matchBefore(/[\w$]*/);
  if (word === null || (!context.explicit && (word.text === '' || /^\d/.test(word.text)))) return null;
  const given = inputs.map((label): Completion => ({ label, type: 'variable', detail: 'input', boost: 50 }));
  return { from: word.from, options: [...given, ...GIVEN, ...(found?.options ?? [])], validFor: /^[\w$]*$/ };
}
