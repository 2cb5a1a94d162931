import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import {
  bracketMatching,
  defaultHighlightStyle,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useEffectEvent, useRef } from 'react';

export interface CodeEditorProps {
  /** The editor's name for screen readers. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  language: 'json' | 'rhai';
  /** Faults to show at their places, beyond those of JSON itself. */
  findFaults?: (text: string) => { from: number; to: number; message: string }[];
  readOnly?: boolean;
  minHeight?: string;
}

const darkHighlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.keyword], color: '#b197fc' },
  { tag: tags.string, color: '#8ce99a' },
  { tag: [tags.number, tags.bool, tags.null], color: '#ffa94d' },
]);

const baseTheme = (minHeight: string) =>
  EditorView.theme({
    '&': { border: '1px solid var(--mantine-color-default-border)', borderRadius: 'var(--mantine-radius-md)' },
    '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)' },
    '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '13px', minHeight },
    '.cm-gutters': { background: 'transparent', border: 'none', color: 'var(--mantine-color-dimmed)' },
    '.cm-content': { caretColor: 'var(--mantine-color-text)' },
    '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  });

/** What finds faults: those of JSON's form, else those that the page knows of. */
function faultFinder(language: string, findFaults: NonNullable<CodeEditorProps['findFaults']>): Extension {
  const parse = jsonParseLinter();
  return linter((view): Diagnostic[] => {
    const malformed = language === 'json' && view.state.doc.length > 0 ? parse(view) : [];
    if (malformed.length > 0) return malformed;
    const length = view.state.doc.length;
    return findFaults(view.state.doc.toString()).map(({ from, to, message }) => ({
      from: Math.min(from, length),
      to: Math.min(to, length),
      message,
      severity: 'error',
    }));
  });
}

/** An editor for code. Tab leaves it, as everywhere on a page. */
export function CodeEditor(props: CodeEditorProps) {
  const { label, value, language, readOnly = false, minHeight = '8rem' } = props;
  const isDark = useComputedColorScheme('light') === 'dark';
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const findFaults = useEffectEvent((text: string) => props.findFaults?.(text) ?? []);
  const change = useEffectEvent((text: string) => props.onChange(text));
  const initialText = useEffectEvent(() => value);

  useEffect(() => {
    const editor = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: initialText(),
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          lintGutter(),
          faultFinder(language, (text) => findFaults(text)),
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
          ...(language === 'json' ? [json()] : []),
          syntaxHighlighting(isDark ? darkHighlight : defaultHighlightStyle),
          baseTheme(minHeight),
          EditorView.theme({}, { dark: isDark }),
          EditorView.lineWrapping,
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) change(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, language, readOnly, minHeight, isDark]);

  // What comes from outside replaces the text; what was typed here is there already.
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return <div ref={place} />;
}
