import {
  completeAnyWord,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { rhaiFunctions } from '../../../runner/rhai/library/descriptions.ts';

const KEYWORDS = 'let const if else switch while loop for in continue break return throw try catch fn true false this'
  .split(' ').map((label): Completion => ({ label, type: 'keyword' }));

/** Lists the functions of these types. If several types have a function of the same name, lists the name once. */
function functionsOf(types: readonly string[], type: 'function' | 'method'): Completion[] {
  const found = new Map<string, { detail: string; meanings: string[] }>();
  for (const tag of types) {
    const { title, functions } = rhaiFunctions[tag]!;
    for (const [name, [parameters, result, meaning]] of Object.entries(functions)) {
      const known = found.get(name) ?? { detail: `(${parameters}) → ${result}`, meanings: [] };
      known.meanings.push(types.length === 1 ? meaning : `${title}: ${meaning}`);
      found.set(name, known);
    }
  }
  return [...found].map(([label, { detail, meanings }]) => ({ label, type, detail, info: meanings.join('\n') }));
}

const FREE = functionsOf(['none'], 'function');
const METHODS = functionsOf(Object.keys(rhaiFunctions).filter((type) => type !== 'none'), 'method');

/**
 * Completes a script. After a point, it offers the methods of values. Elsewhere, it offers inputs, functions, keywords
 * and the words of the script.
 */
export function completeRhai(context: CompletionContext, inputs: readonly string[]): CompletionResult | null {
  const word = context.matchBefore(/[.\w]\w*/);
  if (word === null || (!context.explicit && word.from === word.to)) return null;
  if (/^\d/.test(word.text)) return null;
  if (word.text.startsWith('.')) return { from: word.from + 1, options: METHODS, validFor: /^\w*$/ };
  const given = inputs.map((label): Completion => ({ label, type: 'variable', detail: 'input', boost: 50 }));
  const known = new Set([...given, ...FREE, ...KEYWORDS].map(({ label }) => label));
  const words = completeAnyWord(context);
  const others = words instanceof Promise ? [] : words?.options.filter(({ label }) => !known.has(label)) ?? [];
  return { from: word.from, options: [...given, ...FREE, ...KEYWORDS, ...others], validFor: /^\w*$/ };
}
