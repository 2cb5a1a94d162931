import {
  autocompletion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { javascript, localCompletionSource } from '@codemirror/lang-javascript';
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import type { Extension, Text } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { completeJavaScript } from './javascript_completion.ts';
import { jsonWithFaults } from './json_editor.tsx';
import { completeJsonata, pathBefore } from './jsonata_completion.ts';
import type { CodeLanguage } from './languages.ts';
import type { CodeFault } from './parse_code.ts';
import { completeRhai } from './rhai_completion.ts';
import { rhai } from './rhai_language.ts';
import { scriptFaults } from './script_faults.ts';

type ScriptLanguage = Exclude<CodeLanguage, 'json'>;

/** The pause in typing after which a source is parsed. */
const PAUSE_MS = 300;

/** Marks the word at the place of a fault. */
function diagnosticOf(text: Text, { line, column, message }: CodeFault): Diagnostic {
  const { from, to, text: characters } = text.line(Math.min(Math.max(line, 1), text.lines));
  const at = Math.min(from + Math.max(column, 1) - 1, to);
  const length = /^[\w$]+|^./.exec(characters.slice(at - from))?.[0].length ?? 0;
  // If the fault is at the end of a line, the last character of the line is marked.
  return { from: length === 0 ? Math.max(from, at - 1) : at, to: at + length, severity: 'error', message };
}

const faultsOf = (language: ScriptLanguage, inputs: () => readonly string[]): Extension =>
  linter(async (view): Promise<Diagnostic[]> => {
    const { doc } = view.state;
    if (doc.toString().trim() === '') return [];
    const faults = await scriptFaults(language, doc.toString(), inputs());
    return faults.map((fault) => diagnosticOf(doc, fault));
  }, { delay: PAUSE_MS });

const COMPLETE: Record<
  ScriptLanguage,
  (context: CompletionContext, inputs: readonly string[]) => CompletionResult | null
> = { rhai: completeRhai, javascript: completeJavaScript, jsonata: completeJsonata };

/** Returns the names that code may use. For JSONata, returns the names of the members at `path` in the input value. */
type NamesAt = (path: readonly string[]) => readonly string[];

function languageOf(language: CodeLanguage, inputs: NamesAt): Extension {
  if (language === 'json') return [jsonWithFaults(() => []), autocompletion()];
  const complete = (context: CompletionContext) =>
    COMPLETE[language](context, inputs(language === 'jsonata' ? pathBefore(context) : []));
  return [
    language === 'rhai' ? rhai() : javascript({ typescript: language === 'javascript' }).language,
    lintGutter(),
    faultsOf(language, () => inputs([])),
    keymap.of(lintKeymap),
    autocompletion({ override: language === 'javascript' ? [complete, localCompletionSource] : [complete] }),
  ];
}

/**
 * A language with completion, marked faults and a search. `inputs` is called at each use, so a change of the inputs
 * does not need a new editor.
 */
export const codeExtensions = (language: CodeLanguage, inputs: NamesAt): Extension => [
  languageOf(language, inputs),
  search({ top: true }),
  highlightSelectionMatches(),
  keymap.of([...completionKeymap, ...searchKeymap]),
];
