import { Button, JsonInput, SegmentedControl, Stack, Textarea } from '@mantine/core';
import type { FieldProps } from '@rjsf/utils';
import { lazy, Suspense, useState } from 'react';
import { Loading } from '../loading.tsx';

const CodeDialog = lazy(async () => ({ default: (await import('../code/code_dialog.tsx')).CodeDialog }));

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

/** Returns a remark about the text that a person has typed. */
function remark(kind: Kind, text: string): string | undefined {
  if (kind === 'JSON') return 'A number, true, false, null, a list or an object';
  const other = jsonKind(text);
  return other === undefined ? undefined : `This is a text. Choose JSON to make it a ${other}.`;
}

/**
 * A field for a value of any kind: a plain text, or any JSON. At first, the kind of the field is that of its value. If
 * there is no value, it is that of `ui:options.example`, which may be the default.
 */
export function AnythingField(props: FieldProps) {
  const { formData, onChange, schema, name, fieldPathId, required, disabled, readonly, uiSchema } = props;
  const example: unknown = uiSchema?.['ui:options']?.example;
  const [kind, setKind] = useState<Kind>(() => typeof (formData ?? example ?? '') === 'string' ? 'Text' : 'JSON');
  const [text, setText] = useState(() => textOf(formData));
  const [error, setError] = useState<string>();
  const [isOpen, setIsOpen] = useState(false);
  const label = schema.title ?? name;
  const store = (value: unknown) => onChange(value, fieldPathId.path);

  const change = (next: string, nextKind: Kind) => {
    setText(next);
    setKind(nextKind);
    setError(undefined);
    if (next.trim() === '') return store(undefined);
    if (nextKind === 'Text') return store(next);
    try {
      store(JSON.parse(next));
    } catch {
      setError('This is not JSON yet, so the previous value stays.');
    }
  };
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
    error: error ?? false,
  };
  const hint = remark(kind, text);
  return (
    <Stack gap={4} align='stretch'>
      {kind === 'JSON'
        ? <JsonInput {...common} onChange={(next) => change(next, kind)} spellCheck={false} />
        : <Textarea {...common} onChange={(event) => change(event.currentTarget.value, kind)} />}
      <div className='console-kind'>
        <SegmentedControl
          size='xs'
          data={KINDS}
          value={kind}
          aria-label={`${label} is`}
          disabled={common.disabled}
          onChange={(next) => change(text, next)}
        />
        {kind === 'JSON' && <Button variant='default' size='compact-xs' onClick={() => setIsOpen(true)}>Open</Button>}
        <span role='status'>{hint}</span>
      </div>
      {isOpen && (
        <Suspense fallback={<Loading label='Loading the code editor' />}>
          <CodeDialog
            title={label}
            label={label}
            language='json'
            value={text}
            onChange={(next) => change(next, 'JSON')}
            inputs={[]}
            readOnly={common.disabled}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </Stack>
  );
}
