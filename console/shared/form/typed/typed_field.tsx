import { Group, Input, NativeSelect, Text } from '@mantine/core';
import type { FieldProps } from '@rjsf/utils';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { markExactNumbers, readExactNumbers } from '../exact_numbers.ts';
import { unreadableOf } from '../unreadable_texts.ts';
import { RowsEditor } from './rows_editor.tsx';
import { JsonEditor, NumberEditor, SwitchEditor, TextEditor } from './text_editors.tsx';
import {
  convert,
  type EditorProps,
  faultId,
  KIND_TITLES,
  kindOfText,
  kindOfValue,
  KINDS,
  kindsOfJsonTypes,
  textOf,
  type ValueKind,
} from './typed_value.ts';

const EDITORS: Record<ValueKind, (props: EditorProps) => ReactNode> = {
  text: TextEditor,
  number: NumberEditor,
  boolean: SwitchEditor,
  list: (props) => <RowsEditor {...props} isNamed={false} />,
  map: (props) => <RowsEditor {...props} isNamed />,
  json: JsonEditor,
};

/** The kinds that a field offers: those of `ui:options.kinds`, else those of the schema's types. */
function kindsOf({ schema: { type }, uiSchema }: FieldProps): readonly ValueKind[] {
  const { kinds } = uiSchema?.['ui:options'] ?? {};
  if (Array.isArray(kinds) && kinds.length > 0) return KINDS.filter((kind) => kinds.includes(kind));
  return kindsOfJsonTypes([type].flat());
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** What a field shows. A value from elsewhere, such as by Undo, begins a new `edit`. */
interface Shown {
  kind: ValueKind;
  value: unknown;
  fault: string | undefined;
  edit: number;
}

function useShown(props: FieldProps, kinds: readonly ValueKind[]) {
  const { onChange, fieldPathId: { $id: id, path }, uiSchema, registry } = props;
  const formData = readExactNumbers(props.formData);
  const example: unknown = uiSchema?.['ui:options']?.example;
  const show = (value: unknown, former: ValueKind, edit: number): Shown => {
    const kind = kindOfValue(value) ?? former;
    return { kind: kinds.includes(kind) ? kind : kinds.at(-1)!, value, fault: undefined, edit };
  };
  const [shown, setShown] = useState(() => show(formData, kindOfValue(example ?? undefined) ?? kinds[0]!, 0));
  if (!isSame(shown.value, formData)) setShown(show(formData, shown.kind, shown.edit + 1));
  const unreadable = unreadableOf(registry);
  const note = (fault: string | undefined) => {
    if (fault === undefined) unreadable.delete(id);
    else unreadable.set(id, { path, message: fault });
  };
  // The form validates a change before React runs this effect, so `change` also notes the fault.
  const noteAgain = useEffectEvent(note);
  useEffect(() => {
    noteAgain(shown.fault);
    return () => void unreadable.delete(id);
  }, [unreadable, id, shown.fault]);
  const change = (next: Shown) => {
    setShown(next);
    note(next.fault);
    onChange(markExactNumbers(next.value), path);
  };
  return {
    shown,
    example,
    change: (value: unknown, fault: string | undefined) => change({ ...shown, value, fault }),
    choose: (kind: ValueKind) =>
      change({ kind, value: convert(shown.value, kind), fault: undefined, edit: shown.edit + 1 }),
  };
}

const A_VALUE: Record<ValueKind, string> = {
  text: 'a text',
  number: 'a number',
  boolean: 'yes or no',
  list: 'a list',
  map: 'names with values',
  json: 'null',
};

/**
 * The field of an input that takes values of several kinds, or a list or a map. The person chooses the kind, so a text is
 * never taken for something else.
 */
export function TypedField(props: FieldProps) {
  const { schema, name, fieldPathId, required, disabled, readonly, rawErrors = [] } = props;
  const kinds = kindsOf(props);
  const { shown, example, change, choose } = useShown(props, kinds);
  const label = schema.title ?? name;
  const error = shown.fault ?? (rawErrors.length > 0 ? rawErrors.join('\n') : undefined);
  const isDisabled = disabled === true || readonly === true;
  const Editor = EDITORS[shown.kind];
  const isRows = shown.kind === 'list' || shown.kind === 'map';
  const other = shown.kind === 'text' ? kindOfText(shown.value) : undefined;
  return (
    <Input.Wrapper
      label={label}
      labelElement='div'
      description={schema.description}
      withAsterisk={required ?? false}
      error={isRows ? error : undefined}
      errorProps={{ id: faultId(fieldPathId.$id) }}
      role='group'
      aria-label={label}
    >
      <Group gap={4} my={4} wrap={isRows ? 'wrap' : 'nowrap'} align='flex-start'>
        <div className='console-typed-value' data-rows={isRows || undefined}>
          <Editor
            key={`${shown.kind} ${shown.edit}`}
            id={fieldPathId.$id}
            label={label}
            value={shown.value}
            placeholder={example === undefined || example === null ? undefined : textOf(example)}
            disabled={isDisabled}
            error={error}
            onChange={change}
          />
        </div>
        {kinds.length > 1 && (
          <NativeSelect
            w='7.5rem'
            aria-label={`Kind of ${label}`}
            data={kinds.map((kind) => ({ value: kind, label: KIND_TITLES[kind] }))}
            value={shown.kind}
            disabled={isDisabled}
            onChange={({ currentTarget }) => choose(kinds.find((kind) => kind === currentTarget.value)!)}
          />
        )}
      </Group>
      {other !== undefined && kinds.includes(other) && (
        <Text size='xs' c='dimmed' role='status'>
          This is a text. Choose {KIND_TITLES[other]} if you mean {A_VALUE[other]}.
        </Text>
      )}
    </Input.Wrapper>
  );
}
