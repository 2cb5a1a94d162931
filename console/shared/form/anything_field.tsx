import { JsonInput, SegmentedControl, Stack, Textarea } from '@mantine/core';
import type { FieldProps } from '@rjsf/utils';
import { useEffect, useEffectEvent, useState } from 'react';
import { OpenJson } from './open_json.tsx';
import { unreadableOf } from './unreadable_texts.ts';

type Kind = 'Text' | 'JSON';
const KINDS: Kind[] = ['Text', 'JSON'];

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);

/** Names the kind of JSON in a text, such as `list`; undefined for a JSON string or a text that is not JSON. */
function jsonKind(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string'
      ? undefined
      : Array.isArray(value)
      ? 'list'
      : value === null
      ? 'null'
      : typeof value;
  } catch {
    return undefined;
  }
}

/** Returns the kinds that the schema of a field allows. */
function kindsOf({ type }: FieldProps['schema']): Kind[] {
  const types = type === undefined ? undefined : [type].flat();
  if (types === undefined || types.length === 0) return KINDS;
  return KINDS.filter((kind) => types.some((name) => (name === 'string') === (kind === 'Text')));
}

/** Returns a remark about the text that a person has typed. */
function remark(kind: Kind, text: string, { type }: FieldProps['schema']): string | undefined {
  if (type === 'array') return 'A list as JSON, such as [1, "two"]';
  if (type === 'object') return 'An object as JSON, such as {"name": "value"}';
  if (kind === 'JSON') return 'A number, true, false, null, a list or an object';
  const other = jsonKind(text);
  return other === undefined ? undefined : `This is a text. Choose JSON to make it a ${other}.`;
}

/** Parses a JSON text, or returns a fault. */
function readJson(text: string): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: 'This is not JSON.' };
  }
}

/** The kind of a field's text, the text and its fault, and the value that the text stands for. */
interface Typed {
  kind: Kind;
  text: string;
  value: unknown;
  fault?: string | undefined;
}

/** Reads a text. A text that is not JSON has no value, so the form never has an older value than the one it shows. */
function readText(kind: Kind, text: string): Typed {
  if (text.trim() === '') return { kind, text, value: undefined };
  if (kind === 'Text') return { kind, text, value: text };
  const read = readJson(text);
  return 'fault' in read ? { kind, text, value: undefined, fault: read.fault } : { kind, text, value: read.value };
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * The text of a field. If the form gets another value from elsewhere, such as by Undo, the text becomes that value.
 */
function useTyped({ formData, onChange, schema, fieldPathId, uiSchema, registry }: FieldProps) {
  const kinds = kindsOf(schema);
  const write = (value: unknown, former: Kind): Typed => {
    const kind = value === undefined ? former : typeof value === 'string' ? 'Text' : 'JSON';
    return { kind: kinds.includes(kind) ? kind : kinds[0]!, text: textOf(value), value };
  };
  const example: unknown = uiSchema?.['ui:options']?.example;
  const [typed, setTyped] = useState(() => write(formData, typeof (example ?? '') === 'string' ? 'Text' : 'JSON'));
  if (!isSame(typed.value, formData)) setTyped(write(formData, typed.kind));
  const unreadable = unreadableOf(registry);
  const { $id: id, path } = fieldPathId;
  const note = (fault: string | undefined) => {
    if (fault === undefined) unreadable.delete(id);
    else unreadable.set(id, { path, message: fault });
  };
  // The form validates a change before React runs this effect, so `change` also notes the fault.
  const noteAgain = useEffectEvent(note);
  useEffect(() => {
    noteAgain(typed.fault);
    return () => void unreadable.delete(id);
  }, [unreadable, id, typed.fault]);
  const change = (kind: Kind, text: string) => {
    const next = readText(kind, text);
    setTyped(next);
    note(next.fault);
    onChange(next.value, path);
  };
  return { kinds, typed, change, example };
}

/**
 * A field for any JSON, or for the JSON that its schema allows: a plain text, a list, an object or another value. At
 * first, the kind of the field is that of its value. If there is no value, it is that of `ui:options.example`, which
 * may be the default.
 */
export function AnythingField(props: FieldProps) {
  const { schema, name, fieldPathId, required, disabled, readonly, rawErrors = [] } = props;
  const { kinds, typed: { kind, text, fault }, change, example } = useTyped(props);
  const label = schema.title ?? name;
  const faults = fault === undefined ? rawErrors : [fault];
  const common = {
    id: fieldPathId.$id,
    label,
    description: schema.description,
    withAsterisk: required ?? false,
    disabled: disabled === true || readonly === true,
    placeholder: example === undefined || example === null ? undefined : textOf(example),
    value: text,
    autosize: true,
    minRows: 1,
    maxRows: 12,
    error: faults.length > 0 && faults.join('\n'),
  };
  const hint = remark(kind, text, schema);
  return (
    <Stack gap={4} align='stretch'>
      {kind === 'JSON'
        ? <JsonInput {...common} onChange={(next) => change(kind, next)} spellCheck={false} />
        : <Textarea {...common} onChange={(event) => change(kind, event.currentTarget.value)} />}
      <div className='console-kind'>
        {kinds.length > 1 && (
          <SegmentedControl
            size='xs'
            data={kinds}
            value={kind}
            aria-label={`${label} is`}
            disabled={common.disabled}
            onChange={(next) => change(next, text)}
          />
        )}
        {kind === 'JSON' && (
          <OpenJson
            label={label}
            text={text}
            setText={(next) => change('JSON', next)}
            disabled={common.disabled}
          />
        )}
        <span role='status'>{hint}</span>
      </div>
    </Stack>
  );
}
