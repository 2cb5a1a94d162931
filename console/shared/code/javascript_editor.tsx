import { javascriptLanguage } from '@codemirror/lang-javascript';
import { CodeEditor, type CodeEditorProps } from './code_editor.tsx';

/** An editor for JavaScript, and for expressions in JSONata, whose tokens are like those of JavaScript. */
export const JavaScriptEditor = (props: Omit<CodeEditorProps, 'extension'>) => (
  <CodeEditor {...props} extension={javascriptLanguage} />
);
