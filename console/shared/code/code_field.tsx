import { Button, Group, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Loading } from '../page/loading.tsx';
import type { CodeLanguage } from './languages.ts';

const RhaiEditor = lazy(async () => ({ default: (await import('./rhai_editor.tsx')).RhaiEditor }));
const JavaScriptEditor = lazy(async () => ({ default: (await import('./javascript_editor.tsx')).JavaScriptEditor }));
const CodeDialog = lazy(async () => ({ default: (await import('./code_dialog.tsx')).CodeDialog }));

interface CodeFieldProps {
  label: string;
  language: Exclude<CodeLanguage, 'json'>;
  value: string;
  onChange: (value: string) => void;
  /** The names that the code may use. */
  inputs: readonly string[];
  /** The heading of the dialog. */
  title: string;
  readOnly?: boolean;
  minHeight?: string;
}

/** A field for code, with a button that opens it in a dialog. */
export function CodeField(props: CodeFieldProps) {
  const { label, language, value, onChange, inputs, title, readOnly = false, minHeight } = props;
  const [isOpen, setIsOpen] = useState(false);
  const Editor = language === 'rhai' ? RhaiEditor : JavaScriptEditor;
  return (
    <Stack gap={4}>
      <Group justify='space-between' gap='xs'>
        <Text size='sm' fw={500}>{label}</Text>
        <Button variant='default' size='compact-xs' onClick={() => setIsOpen(true)}>Open</Button>
      </Group>
      <Suspense fallback={<Loading label='Loading the code editor' />}>
        <Editor
          label={label}
          value={value}
          onChange={onChange}
          readOnly={readOnly}
          {...(minHeight !== undefined && { minHeight })}
        />
      </Suspense>
      {isOpen && (
        <Suspense fallback={<Loading label='Loading the code editor' />}>
          <CodeDialog
            title={title}
            label={label}
            language={language}
            value={value}
            onChange={onChange}
            inputs={inputs}
            readOnly={readOnly}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </Stack>
  );
}
