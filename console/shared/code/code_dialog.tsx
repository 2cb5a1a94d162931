import { Anchor, Group, Modal, Text } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { docsHref } from '../docs_href.ts';
import { CodeEditor } from './code_editor.tsx';
import { codeExtensions } from './code_extensions.ts';
import { CODE_LANGUAGES, type CodeLanguage } from './languages.ts';
import './code.css';

export interface CodeDialogProps {
  /** The heading, such as the node's name. */
  title: string;
  /** The name of the field. */
  label: string;
  language: CodeLanguage;
  value: string;
  onChange: (value: string) => void;
  /** The names that the code may use. */
  inputs: readonly string[];
  readOnly?: boolean;
  onClose: () => void;
}

/** A dialog of full height for code. Its editor completes names, marks faults at their lines, and has a search. */
export function CodeDialog(props: CodeDialogProps) {
  const { title, label, language, value, onChange, inputs, readOnly = false, onClose } = props;
  const latest = useRef(inputs);
  useEffect(() => {
    latest.current = inputs;
  }, [inputs]);
  const [extension] = useState(() => codeExtensions(language, () => latest.current));
  const { name, docs } = CODE_LANGUAGES[language];
  // The editor uses Escape itself while its search or a list of completions is open.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented) onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      fullScreen
      closeOnEscape={false}
      transitionProps={{ duration: 0 }}
      classNames={{ title: 'console-heading', content: 'code-dialog', body: 'code-dialog-body' }}
      onKeyDown={onKeyDown}
    >
      <Group justify='space-between' gap='xs'>
        <Text size='sm' c='dimmed'>
          {inputs.length === 0 ? name : `${name}, with ${inputs.join(', ')}`}.{' '}
          {language === 'json' ? 'Ctrl+F finds.' : 'Ctrl+Space completes, Ctrl+F finds.'}
        </Text>
        {docs !== undefined && (
          <Anchor component={Link} href={docsHref(docs)} target='_blank' size='sm'>About {name}</Anchor>
        )}
      </Group>
      <CodeEditor
        label={label}
        value={value}
        onChange={onChange}
        extension={extension}
        readOnly={readOnly}
        isFilling
        hasFocus
      />
    </Modal>
  );
}
