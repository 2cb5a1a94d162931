import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import {
  bracketMatching,
  defaultHighlightStyle,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { Annotation, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useEffectEvent, useRef } from 'react';
import { flushSync } from 'react-dom';

export interface CodeEditorProps {
  /** The editor's name for screen readers. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** The language with its extensions. Another one makes the editor anew. */
  extension: Extension;
  readOnly?: boolean;
  minHeight?: string;
}

const darkHighlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.keyword], color: '#b197fc' },
  { tag: tags.string, color: '#8ce99a' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: '#ffa94d' },
  { tag: tags.comment, color: '#adb5bd', fontStyle: 'italic' },
  { tag: tags.function(tags.variableName), color: '#74c0fc' },
  { tag: tags.invalid, color: '#ff8787' },
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

/** Marks changes that the page made itself. */
const fromPage = Annotation.define<true>();

/** An editor for code; JsonEditor and RhaiEditor add a language. Tab leaves it, as in other fields. */
export function CodeEditor(props: CodeEditorProps) {
  const { label, value, extension, readOnly = false, minHeight = '8rem' } = props;
  const isDark = useComputedColorScheme('light') === 'dark';
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
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
          keymap.of([...defaultKeymap, ...historyKeymap]),
          extension,
          syntaxHighlighting(isDark ? darkHighlight : defaultHighlightStyle),
          baseTheme(minHeight),
          EditorView.theme({}, { dark: isDark }),
          EditorView.lineWrapping,
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((made) => made.annotation(fromPage))) return;
            // Updates the page at once, as React does for its own inputs: the page must have the text before any other
            // event.
            flushSync(() => change(update.state.doc.toString()));
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, extension, readOnly, minHeight, isDark]);

  // A value from outside replaces the text; typed text is in the editor already.
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    const changes = { from: 0, to: editor.state.doc.length, insert: value };
    editor.dispatch({ changes, annotations: fromPage.of(true) });
  }, [value]);

  return <div ref={place} />;
}
