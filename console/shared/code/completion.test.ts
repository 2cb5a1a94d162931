import { CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { javascript } from '@codemirror/lang-javascript';
import { EditorState, type Extension } from '@codemirror/state';
import jsonata from 'jsonata';
import { expect, test } from 'vitest';
import { completeJavaScript } from './javascript_completion.ts';
import { completeJsonata, JSONATA_FUNCTIONS } from './jsonata_completion.ts';
import { completeRhai } from './rhai_completion.ts';
import { rhai } from './rhai_language.ts';

type Complete = (context: CompletionContext, inputs: readonly string[]) => CompletionResult | null;

/** The names that are offered at the end of a source. */
function offered(complete: Complete, source: string, language: Extension = []): string[] {
  const state = EditorState.create({ doc: source, extensions: language });
  const result = complete(new CompletionContext(state, source.length, false), ['amount']);
  return result?.options.map(({ label }) => label) ?? [];
}

test('a script in Rhai is completed by inputs, functions and its own words', () => {
  expect(offered(completeRhai, 'let total = 1; t', rhai())).toEqual(
    expect.arrayContaining(['amount', 'print', 'timestamp', 'let', 'total']),
  );
  expect(offered(completeRhai, 'amount.', rhai())).toEqual(expect.arrayContaining(['len', 'to_upper', 'filter']));
  expect(offered(completeRhai, '1')).toEqual([]);
});

test('a script in JavaScript is completed by inputs and by the objects of the language', () => {
  const language = javascript({ typescript: true }).language;
  expect(offered(completeJavaScript, 'return a', language)).toEqual(expect.arrayContaining(['amount', 'log', 'JSON']));
  expect(offered(completeJavaScript, 'Math.', language)).toContain('floor');
});

test('an expression is completed by the functions that JSONata has', async () => {
  expect(offered(completeJsonata, '$s')).toEqual(expect.arrayContaining(['amount', '$sum', '$split']));
  const types = await Promise.all(JSONATA_FUNCTIONS.map((name) => jsonata(`$type($${name})`).evaluate({})));
  expect(new Set(types)).toEqual(new Set(['function']));
});
