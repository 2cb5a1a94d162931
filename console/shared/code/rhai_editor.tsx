import { CodeEditor, type CodeEditorProps } from './code_editor.tsx';
import { rhai } from './rhai_language.ts';

const RHAI = rhai();

/** An editor for a script in Rhai. */
export const RhaiEditor = (props: Omit<CodeEditorProps, 'extension'>) => <CodeEditor {...props} extension={RHAI} />;
