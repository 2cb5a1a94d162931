import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { bracketMatching, defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useEffectEvent, useRef } from 'react';
import { flushSync } from 'react-dom';

export interface CodeEditorProps {
  /** The editor's name for screen readers. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** The language with its extensions. If this value changes, the editor is made again and loses its history. */
  extension: Extension;
  readOnly?: boolean;
  minHeight?: string;
  /** If true, the editor fills the height of its parent element. */
  isFilling?: boolean;
  /** If true, the editor gets the focus when its dialog opens. */
  hasFocus?: boolean;
}

const darkHighlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.keyword], color: '#b197fc' },
  { tag: tags.string, color: '#8ce99a' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: '#ffa94d' },
  { tag: tags.comment, color: '#adb5bd', fontStyle: 'italic' },
  { tag: tags.function(tags.variableName), color: '#74c0fc' },
  { tag: tags.invalid, color: '#ff8787' },
]);

/**
 * The colours. If the colour scheme changes, only this compartment is replaced, so that the editor keeps its text and
 * history.
 */
const colours = new Compartment();

const coloursOf = (isDark: boolean): Extension => [
  syntaxHighlighting(isDark ? darkHighlight : defaultHighlightStyle),
  EditorView.theme({}, { dark: isDark }),
];

const baseTheme = (minHeight: string, isFilling: boolean) =>
  EditorView.theme({
    '&': {
      ...(isFilling && { height: '100%' }),
      border: '1px solid var(--mantine-color-default-border)',
      borderRadius: 'var(--mantine-radius-md)',
    },
    '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)' },
    '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '13px', minHeight },
    '.cm-gutters': { background: 'transparent', border: 'none', color: 'var(--mantine-color-dimmed)' },
    '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  });

/** Marks changes of the text that the page has made, to tell them from changes by the user. */
const fromPage = Annotation.define<true>();

/**
 * An editor for code. The property `extension` adds a language. As in other fields, Tab moves the focus to the next
 * field.
 */
export function CodeEditor(props: CodeEditorProps) {
  const { label, value, extension, readOnly = false, minHeight = '8rem', isFilling = false, hasFocus = false } = props;
  const isDark = useComputedColorScheme('light') === 'dark';
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const change = useEffectEvent((text: string) => props.onChange(text));
  const initialText = useEffectEvent(() => value);
  const initialColours = useEffectEvent(() => coloursOf(isDark));

  useEffect(() => {
    const editor = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: initialText(),
        extensions: [
          lineNumbers(),
          history(),
          bracketMatching(),
          keymap.of([...standardKeymap, ...historyKeymap]),
          extension,
          colours.of(initialColours()),
          baseTheme(minHeight, isFilling),
          EditorView.lineWrapping,
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({ 'aria-label': label, ...(hasFocus && { 'data-autofocus': '' }) }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((made) => made.annotation(fromPage))) return;
            // Updates the page at once, as React does for its own inputs, so that the page has the text before the next
            // event.
            flushSync(() => change(update.state.doc.toString()));
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, extension, readOnly, minHeight, isFilling, hasFocus]);

  useEffect(() => view.current?.dispatch({ effects: colours.reconfigure(coloursOf(isDark)) }), [isDark]);

  // If the page sets another value, this value replaces the text of the editor. A value that the user typed is already
  // there.
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === value) return;
    const changes = { from: 0, to: editor.state.doc.length, insert: value };
    editor.dispatch({ changes, annotations: fromPage.of(true) });
  }, [value]);

  return <div ref={place} className={isFilling ? 'code-filling' : undefined} />;
}
