import { CodeEditor, type CodeEditorProps } from '../../shared/code_editor.tsx';
import { rhai } from '../../shared/rhai_language.ts';

const RHAI = rhai();

/** An editor for a script. */
export const RhaiEditor = (props: Omit<CodeEditorProps, 'extension'>) => <CodeEditor {...props} extension={RHAI} />;
