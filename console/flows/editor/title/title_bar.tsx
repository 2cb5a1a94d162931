import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageHeading } from '../../../shared/page/use_page_heading.ts';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { FlowName } from './flow_name.tsx';

/** The row above the canvas: the flow's name, whether it is saved, and the buttons. */
export function TitleBar({ children }: { children: ReactNode }) {
  const { flow } = useEditor();
  const { settings, document, saved } = useEditorState();
  const title = settings.name === '' ? `Flow ${flow.id}` : settings.name;
  const heading = usePageHeading(title);
  return (
    <header className='editor-title-bar'>
      <Title order={1} size='h4' ref={heading} tabIndex={-1} className='console-heading editor-title' title={title}>
        <FlowName title={title} />
      </Title>
      <Text size='xs' c='dimmed' role='status' className='editor-saved'>
        {document === saved ? 'Saved' : 'Not saved'}
      </Text>
      {children}
    </header>
  );
}
