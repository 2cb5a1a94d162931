import { json, jsonParseLinter } from '@codemirror/lang-json';
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { useEffect, useRef, useState } from 'react';
import { CodeEditor, type CodeEditorProps } from './code_editor.tsx';

/** A fault at a position of a text. */
interface JsonFault {
  from: number;
  to: number;
  message: string;
}

interface JsonEditorProps extends Omit<CodeEditorProps, 'extension'> {
  /** Finds faults in a text of correct syntax. The editor marks the faults at their positions. */
  findFaults?: (text: string) => JsonFault[];
}

/** The JSON language. It marks errors of syntax. If the syntax is right, it marks the faults that `findFaults` returns. */
export function jsonWithFaults(findFaults: (text: string) => JsonFault[]): Extension {
  const parse = jsonParseLinter();
  const find = linter((view): Diagnostic[] => {
    const { length } = view.state.doc;
    const malformed = length > 0 ? parse(view) : [];
    if (malformed.length > 0) return malformed;
    return findFaults(view.state.doc.toString()).map(({ from, to, message }) => ({
      from: Math.min(from, length),
      to: Math.min(to, length),
      message,
      severity: 'error',
    }));
  });
  return [json(), lintGutter(), find, keymap.of(lintKeymap)];
}

/** An editor for JSON. */
export function JsonEditor({ findFaults, ...props }: JsonEditorProps) {
  const latest = useRef(findFaults);
  useEffect(() => {
    latest.current = findFaults;
  }, [findFaults]);
  const [extension] = useState(() => jsonWithFaults((text) => latest.current?.(text) ?? []));
  return <CodeEditor {...props} extension={extension} />;
}
