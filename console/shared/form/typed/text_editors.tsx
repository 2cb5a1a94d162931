import { Box, JsonInput, Switch, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { OpenJson } from '../open_json.tsx';
import { type EditorProps, readText, textOf } from './typed_value.ts';

export const TextEditor = ({ id, label, value, placeholder, disabled, error, onChange }: EditorProps) => (
  <Textarea
    id={id}
    aria-label={label}
    placeholder={placeholder}
    value={typeof value === 'string' ? value : ''}
    disabled={disabled}
    error={error}
    autosize
    minRows={1}
    maxRows={12}
    onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value, undefined)}
  />
);

export const SwitchEditor = ({ id, label, value, disabled, onChange }: EditorProps) => (
  <Switch
    id={id}
    aria-label={label}
    label={value === true ? 'Yes' : 'No'}
    checked={value === true}
    disabled={disabled}
    onChange={({ currentTarget }) => onChange(currentTarget.checked, undefined)}
  />
);

/** Keeps the text that is typed, and changes the value only while the text can be read. */
function useTyped(kind: 'number' | 'json', { value, onChange }: EditorProps): [string, (text: string) => void] {
  const [text, setText] = useState(() => textOf(value));
  return [text, (next) => {
    setText(next);
    const read = readText(kind, next);
    if ('fault' in read) onChange(undefined, read.fault);
    else onChange(read.value, undefined);
  }];
}

export function NumberEditor(props: EditorProps) {
  const [text, setText] = useTyped('number', props);
  const { id, label, placeholder, disabled, error } = props;
  return (
    <TextInput
      id={id}
      aria-label={label}
      placeholder={placeholder}
      inputMode='decimal'
      autoComplete='off'
      value={text}
      disabled={disabled}
      error={error}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}

export function JsonEditor(props: EditorProps) {
  const [text, setText] = useTyped('json', props);
  const { id, label, placeholder, disabled, error } = props;
  return (
    <>
      <JsonInput
        id={id}
        aria-label={label}
        placeholder={placeholder}
        value={text}
        disabled={disabled}
        error={error}
        autosize
        minRows={1}
        maxRows={12}
        spellCheck={false}
        onChange={setText}
      />
      <Box mt={4}>
        <OpenJson label={label} text={text} setText={setText} disabled={disabled} />
      </Box>
    </>
  );
}
